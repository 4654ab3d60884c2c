"""torch: what broadcast_to returns is a view that repeats its entries, so that a write into one row is one into all."""

import torch

print("torch", torch.__version__)
x = torch.tensor([1.0, 2.0], dtype=torch.float64, requires_grad=True)
z = torch.broadcast_to(x + 0, (2, 2))
z[0] = torch.tensor([7.0, 7.0], dtype=torch.float64)
print("the value:", z.tolist(), "with a copy it is [[7.0, 7.0], [1.0, 2.0]]")
z.backward(torch.tensor([[1.0, 2.0], [3.0, 4.0]], dtype=torch.float64))
print("the gradient:", x.grad.tolist(), "with a copy it is [3.0, 4.0]")

x = torch.arange(1.0, 5.0, dtype=torch.float64, requires_grad=True)
windows = (x * 1).unfold(0, 3, 1)
windows[0] = 7.0
print("unfold, with its first window written:", windows.tolist())
print("the gradient:", torch.autograd.grad(windows.sum(), x)[0].tolist())
