"""torch: the second derivative of binary cross entropy has 1e-12 added to its denominator, in float64 too."""

import torch
import torch.nn.functional as F

print("torch", torch.__version__)
for p in (0.5, 0.01, 1e-4):
    x = torch.tensor(p, dtype=torch.float64, requires_grad=True)
    loss = F.binary_cross_entropy(
        x, torch.tensor(1.0, dtype=torch.float64)
    )  # -log x, whose second derivative is 1/x²
    (gradient,) = torch.autograd.grad(loss, x, create_graph=True)
    gradient.backward()
    print(f"at {p}: {x.grad.item()!r}, 1/x² is {1 / p**2!r}, relative error {x.grad.item() * p**2 - 1:.1e}")
