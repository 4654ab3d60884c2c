"""torch: the gradient of polar with respect to the size is read off the sign of the value: 0 at 0, not a number where the value is subnormal."""

import torch

print("torch", torch.__version__)
for size in (0.0, 5e-324, 1e-310, 1.0):
    x = torch.tensor([size], dtype=torch.float64, requires_grad=True)
    angle = torch.tensor([0.3], dtype=torch.float64)
    torch.polar(x, angle).real.sum().backward()
    print("size", size, "gradient", x.grad.item(), "exact", angle.cos().item())
