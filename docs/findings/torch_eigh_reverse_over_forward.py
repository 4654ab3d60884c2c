"""torch: the derivative of eigh's tangent is NaN, since its gaps are divided by where they are 0, on the diagonal."""

import torch
from torch.autograd import forward_ad

x0 = torch.tensor([[5.625, -0.9375], [-0.9375, 11.0]], dtype=torch.float64)
along = torch.tensor([[1.0, 0.5], [0.5, -1.0]], dtype=torch.float64)
weights = torch.tensor([[2.0, 3.0], [2.25, -2.0]], dtype=torch.float64)


def weighed(x):
    """The entries of the eigenvectors, weighed; the signs do not change."""
    return (torch.linalg.eigh(x)[1] * weights).sum()


print("torch", torch.__version__)
x = x0.clone().requires_grad_()
(gradient,) = torch.autograd.grad(weighed(x), x, create_graph=True)
print("reverse over reverse:", torch.autograd.grad((gradient * along).sum(), x)[0].tolist())
x = x0.clone().requires_grad_()
with forward_ad.dual_level():
    tangent = forward_ad.unpack_dual(weighed(forward_ad.make_dual(x, along))).tangent
print("reverse over forward:", torch.autograd.grad(tangent, x)[0].tolist())
