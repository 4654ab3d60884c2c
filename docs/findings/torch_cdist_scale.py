"""torch: the powers in cdist are taken without a scale: squares overflow, and its gradient is 0 where it is not."""

import torch

print("torch", torch.__version__)
for p in (2.0, 3.0):
    x = torch.tensor([[3e20, 4e20]], requires_grad=True)
    distance = torch.cdist(x, torch.zeros(1, 2), p)
    (gradient,) = torch.autograd.grad(distance.sum(), x)
    unit = torch.tensor([[3.0, 4.0]], requires_grad=True)
    (exact,) = torch.autograd.grad(torch.cdist(unit, torch.zeros(1, 2), p).sum(), unit)
    print("p =", p, "distance", distance.item(), "gradient", gradient.tolist(), "exactly", exact.tolist())
