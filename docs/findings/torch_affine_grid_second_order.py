"""torch.func: the gradient of affine_grid has no gradient by its cotangent, which the tape has."""

import torch
import torch.nn.functional as F

print("torch", torch.__version__)
theta = torch.tensor([[[1.0, 0.5, 0.25], [0.5, 2.0, 0.75]]], dtype=torch.float64, requires_grad=True)
cotangent = torch.tensor([[[[1.0, 2.0], [3.0, 4.0]]]], dtype=torch.float64, requires_grad=True)


def grid(a):
    """The grid of two places."""
    return F.affine_grid(a, [1, 1, 1, 2], align_corners=False)


(gradient,) = torch.autograd.grad(grid(theta), theta, cotangent, create_graph=True)
print("on the tape:", torch.autograd.grad(gradient.sum(), cotangent)[0].tolist())
try:
    print(torch.func.grad(lambda g: torch.func.vjp(grid, theta.detach())[1](g)[0].sum())(cotangent.detach()))
except RuntimeError as error:
    print("torch.func: RuntimeError:", error)
