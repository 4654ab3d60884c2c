"""torch.cond: the gradient of a branch is a constant, so that its part of a second derivative is lost, silently."""

import torch

print("torch", torch.__version__)

x = torch.tensor([3.0], dtype=torch.float64, requires_grad=True)


def square(a):
    """a²."""
    return a * a


for name, y in (
    ("without cond", square(x) + x**3),
    ("with cond", torch.cond(x.sum() > 0, square, torch.neg, (x,)) + x**3),
):
    (first,) = torch.autograd.grad(y.sum(), x, create_graph=True)
    (second,) = torch.autograd.grad(first.sum(), x)
    print(name, first.item(), second.item())  # 33 and 20 of both
