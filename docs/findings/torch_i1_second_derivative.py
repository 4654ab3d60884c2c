"""torch: the second derivative of i1 divides by the operand twice, and its digits cancel near 0; against mpmath."""

import mpmath
import torch

print("torch", torch.__version__)
for dtype, x in ((torch.float32, 0.01), (torch.float32, 1e-4), (torch.float64, 1e-4), (torch.float64, 1e-8)):
    operand = torch.tensor(x, dtype=dtype, requires_grad=True)
    (slope,) = torch.autograd.grad(torch.special.i1(operand), operand, create_graph=True)
    (second,) = torch.autograd.grad(slope, operand)
    exact = mpmath.besseli(1, operand.item(), derivative=2)
    print(dtype, x, "got", second.item(), "exactly", float(exact))
