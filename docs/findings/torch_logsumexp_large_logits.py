"""torch: the gradient of logsumexp is exp(x - z) with z rounded, and loses digits in proportion to z; that of softmax does not."""

import torch

print("torch", torch.__version__)
x = torch.tensor([0.0, -11.0], dtype=torch.float64)
for shift in (0.0, 2.0**10, 2.0**20, 2.0**40):
    leaf = (x + shift).requires_grad_()
    torch.logsumexp(leaf, 0).backward()
    print(f"logits + {shift:g}: gradient", leaf.grad.tolist(), "exact", torch.softmax(x, 0).tolist())
