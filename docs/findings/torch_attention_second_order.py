"""torch: scaled_dot_product_attention cannot be differentiated twice on the CPU, nor be pushed forward."""

import torch
import torch.nn.functional as F
from torch.autograd import forward_ad

q, k, v = (torch.randn(1, 1, 2, 3, dtype=torch.float64, requires_grad=True) for _ in range(3))
print("torch", torch.__version__)
(gradient,) = torch.autograd.grad(F.scaled_dot_product_attention(q, k, v).sum(), q, create_graph=True)
try:
    gradient.sum().backward()
except RuntimeError as error:
    print("second derivative: RuntimeError:", error)
try:
    with forward_ad.dual_level():
        F.scaled_dot_product_attention(forward_ad.make_dual(q, q.detach()), k, v)
except NotImplementedError as error:
    print("forward mode: NotImplementedError:", str(error).splitlines()[0])
