"""torch: the forward derivative of mse_loss's gradient raises where only one of its operands has a tangent."""

import torch
import torch.autograd.forward_ad as fwAD
import torch.nn.functional as F

x, target, direction = (torch.rand(3, dtype=torch.float64) for _ in range(3))


def gradient(a):
    """The gradient of the loss, recorded."""
    a = a.view_as(a).requires_grad_()
    (g,) = torch.autograd.grad(F.mse_loss(a, target), a, create_graph=True)
    return g


print("torch", torch.__version__)
print("expected", 2 / 3 * direction, "the Hessian is 2/3 times the identity")
try:
    with fwAD.dual_level():
        print("got", fwAD.unpack_dual(gradient(fwAD.make_dual(x, direction))).tangent)
except RuntimeError as error:
    print("raises", error)
