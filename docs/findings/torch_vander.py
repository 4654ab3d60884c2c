"""torch.vander: no backward pass; a second tangent that is wrong where an entry is 0."""

import torch

x = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
try:
    torch.vander(x, 3).sum().backward()
    print("the gradient:", x.grad, "expected", 2 * x.detach() + 1)
except RuntimeError as error:
    print("torch.vander:", str(error).splitlines()[0])

x = torch.tensor([1.0, 0.0, 3.0])
ones = torch.ones_like(x)
_, second = torch.func.jvp(
    lambda u: torch.func.jvp(lambda v: torch.vander(v, 4, increasing=True), (u,), (ones,))[1], (x,), (ones,)
)
print("the second derivatives of 1, x, x^2 and x^3 by torch.func.jvp twice:")
print(second)
print("expected:")
print(torch.stack([0 * x, 0 * x, 2 * ones, 6 * x], dim=-1))
