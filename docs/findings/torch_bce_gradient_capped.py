"""torch: the gradient of binary_cross_entropy stops growing at 1e12, its value's logarithm at -100."""

import torch
import torch.nn.functional as F

print("torch", torch.__version__)
for x in (1e-6, 1e-15, 1e-40, 1e-60):
    p = torch.tensor(x, dtype=torch.float64, requires_grad=True)
    loss = F.binary_cross_entropy(p, torch.ones_like(p))  # -log p, whose slope is -1/p
    loss.backward()
    exact = -torch.log(p.detach())
    print(
        f"p = {x:g}: value {loss.item():.6g} exact {exact.item():.6g}, gradient {p.grad.item():.6g} exact {-1 / x:.6g}"
    )
