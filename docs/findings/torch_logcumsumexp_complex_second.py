"""torch: the second derivative of logcumsumexp of complex numbers is NaN where the cotangent has a zero."""

import torch

print("torch", torch.__version__)
for dtype in (torch.float64, torch.complex128):
    x = torch.tensor([0.5, 1.0, 2.0], dtype=dtype, requires_grad=True)
    for last in (1.0, 0.0):
        upstream = torch.tensor([1.0, 1.0, last], dtype=dtype)
        (gradient,) = torch.autograd.grad(torch.logcumsumexp(x, 0), x, upstream, create_graph=True)
        (second,) = torch.autograd.grad(gradient, x, torch.tensor([1.0, 0.0, 0.0], dtype=dtype))
        print(f"{dtype}, cotangent [1, 1, {last}]: the derivative of the first gradient {second.tolist()}")
