"""torch: i0 and i1 are an exponential times the scaled function, and overflow where the exponential does: values and gradients."""

import mpmath
import torch

print("torch", torch.__version__)
for dtype, x in ((torch.float32, 89.5), (torch.float64, 711.0)):
    for order, function in enumerate((torch.special.i0, torch.special.i1)):
        operand = torch.tensor(x, dtype=dtype, requires_grad=True)
        value = function(operand)
        (gradient,) = torch.autograd.grad(value, operand)
        exact = mpmath.besseli(order, x), mpmath.besseli(order, x, derivative=1)
        largest = torch.finfo(dtype).max
        print(
            f"i{order} at {x}: got",
            value.item(),
            gradient.item(),
            "exactly",
            *map(float, exact),
            "of at most",
            largest,
        )
