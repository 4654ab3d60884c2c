"""torch: of groups of equal entries in float16, torch.func's gradient of group_norm is NaN: 1/√ε is cubed on the way."""

import torch
import torch.nn.functional as F

print("torch", torch.__version__)
x, ones = torch.full((1, 4), -1.125, dtype=torch.float16), torch.ones(4, dtype=torch.float16)
cotangent = torch.tensor([[0.25, 0.75, 2.5, 2.0]], dtype=torch.float16)


def norm(x, weight):
    """Two groups of two entries."""
    return F.group_norm(x, 2, weight, None, 1e-5)


_, pullback = torch.func.vjp(norm, x, ones)
print("torch.func:", pullback(cotangent)[0].tolist())
leaf = x.clone().requires_grad_()
norm(leaf, ones.clone().requires_grad_()).backward(cotangent)
print("the tape:  ", leaf.grad.tolist())
