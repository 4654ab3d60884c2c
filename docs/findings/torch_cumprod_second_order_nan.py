"""torch: reverse mode over the tangent of cumprod is no number where an entry is zero; the second derivative is finite."""

import torch
from torch.autograd import forward_ad

x = torch.tensor([1.0, 0.0, 2.0, 3.0], dtype=torch.float64, requires_grad=True)
along = torch.tensor([1.0, 2.0, 3.0, 4.0], dtype=torch.float64)
with forward_ad.dual_level():
    tangent = forward_ad.unpack_dual(torch.cumprod(forward_ad.make_dual(x, along), 0)).tangent
print("torch", torch.__version__)
print("tangent", tangent.tolist())
print("its gradient", torch.autograd.grad(tangent.sum(), x)[0].tolist())
