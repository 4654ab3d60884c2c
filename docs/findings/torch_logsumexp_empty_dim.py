"""torch: logsumexp(x, dim=()) reduces all axes with keepdim=True and raises without it."""

import torch

x = torch.rand(2, 3)
print("torch", torch.__version__)
print("keepdim=True ", torch.logsumexp(x, dim=(), keepdim=True).shape)
try:
    print("keepdim=False", torch.logsumexp(x, dim=()).shape)
except RuntimeError as error:
    print("keepdim=False RuntimeError:", error)
print("sum, keepdim=False", torch.sum(x, dim=()).shape)
