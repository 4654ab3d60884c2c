"""torch: the gradient of the angle of a small complex number is NaN: the square of its size, by which it divides, is 0."""

import torch

print("torch", torch.__version__)
for dtype, size in ((torch.float32, 1e-25), (torch.float64, 1e-170)):
    re, im = (torch.tensor([size], dtype=dtype, requires_grad=True) for _ in range(2))
    torch.angle(torch.complex(re, im)).sum().backward()
    print(dtype, size, "angle:", re.grad.item(), im.grad.item())
    re.grad = im.grad = None
    torch.atan2(im, re).sum().backward()
    print(dtype, size, "atan2:", re.grad.item(), im.grad.item())
