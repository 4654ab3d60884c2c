"""torch: the forward mode of cholesky_inverse is the derivative of another function; the reverse mode is right."""

import torch
import torch.autograd.forward_ad as forward

print("torch", torch.__version__)
factor = torch.tensor([[2.0, 0.0], [0.5, 3.0]], dtype=torch.float64)
along = torch.tensor([[1.0, 0.0], [0.0, 0.0]], dtype=torch.float64)
with forward.dual_level():
    got = forward.unpack_dual(torch.cholesky_inverse(forward.make_dual(factor, along))).tangent
step = 1e-6
ahead, behind = torch.cholesky_inverse(factor + step * along), torch.cholesky_inverse(factor - step * along)
jacobian = torch.autograd.functional.jacobian(torch.cholesky_inverse, factor)
print("forward mode:            ", got.tolist())
print("reverse mode:            ", (jacobian * along).sum((-1, -2)).tolist())
print("differences of the value:", ((ahead - behind) / (2 * step)).tolist())
