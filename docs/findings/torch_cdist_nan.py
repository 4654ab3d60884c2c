"""torch: the largest difference of cdist (p = inf) passes a NaN over; those of p = 1 and 2, and torch.max, do not."""

import torch

print("torch", torch.__version__)
x, y = torch.tensor([[float("nan"), 1.0, 2.0]]), torch.zeros(1, 3)
for p in (1.0, 2.0, float("inf")):
    print("cdist, p =", p, torch.cdist(x, y, p=p).tolist())
print("max of |x - y|:", (x - y).abs().max().item())
