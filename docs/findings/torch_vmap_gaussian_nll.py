"""torch: gaussian_nll_loss reads its variance to refuse negative entries, so that it cannot be mapped by vmap."""

import torch
import torch.nn.functional as F

x, target, variance = (torch.rand(2, 3) + 0.5 for _ in range(3))
print("torch", torch.__version__)
try:
    print(torch.vmap(F.gaussian_nll_loss)(x, target, variance))
except RuntimeError as error:
    print("inside vmap it raises", error)
