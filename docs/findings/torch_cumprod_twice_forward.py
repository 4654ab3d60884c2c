"""torch: the tangent of a cumulative product's tangent is wrong where an entry is 0, at which the product is smooth."""

import torch

w = torch.tensor([1.0, 2.0, 3.0], dtype=torch.float64)


def function(t):
    """t + 2 t (t - 1) + 3 t (t - 1) (t + 1), whose second derivative is 4 + 18 t."""
    return (torch.cumprod(torch.stack((t, t - 1, t + 1)), dim=0) * w).sum()


def tangent(t):
    """The derivative, in forward mode."""
    return torch.func.jvp(function, (t,), (torch.ones_like(t),))[1]


print("torch", torch.__version__)
for at in (2.0, 1.0, 0.0):
    t = torch.tensor(at, dtype=torch.float64)
    found = torch.func.jvp(tangent, (t,), (torch.ones_like(t),))[1]
    print(f"at t = {at}: {found.item():g}, expected {4 + 18 * at:g}")
