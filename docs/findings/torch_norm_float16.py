"""torch: in float16 a norm of order 1/2 overflows, and takes its gradient along, which is far from the largest number."""

import torch

print("torch", torch.__version__)
x = torch.full((256,), 1.5, dtype=torch.float16, requires_grad=True)
norm = torch.linalg.vector_norm(x, 0.5)
(gradient,) = torch.autograd.grad(norm, x)
print(
    "the norm:",
    norm.item(),
    "exactly",
    256**2 * 1.5,
    "its gradient: got",
    gradient[0].item(),
    "exactly",
    256.0,
)
