"""torch: svd differentiates through the differences of squares of the singular values, which overflow or are lost.

The singular vectors do not depend on the scale of a matrix; of the matrix times t, their gradient is that of the matrix over t.
"""

import torch

print("torch", torch.__version__)
for exponent in (0, 70, -70):
    t = 2.0**exponent
    x = (t * torch.tensor([[2.0, 1.0], [0.0, 1.0]])).requires_grad_()
    u, _, _ = torch.linalg.svd(x)
    u[0, 0].backward()
    print(f"times 2^{exponent}: the gradient, times 2^{exponent}:", (t * x.grad).tolist())

x = torch.tensor([[3e20, 0.0], [0.0, 4e20]]).requires_grad_()
norm = torch.linalg.matrix_norm(x)
norm.backward()
print(
    "matrix_norm of diag(3e20, 4e20): expected 5e20, and the slopes 0.6 and 0.8; got",
    norm.item(),
    x.grad.diag().tolist(),
)
