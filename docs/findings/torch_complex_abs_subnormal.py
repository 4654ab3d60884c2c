"""torch: the gradient of the size of a subnormal complex number is NaN."""

import torch

print("torch", torch.__version__)
for dtype, re, im in (
    (torch.float32, 1.4e-43, -2.4e-40),
    (torch.float64, 1.5e-320, -1.8e-312),
    (torch.float64, 3.0, 4.0),
):
    x, y = (torch.tensor([part], dtype=dtype, requires_grad=True) for part in (re, im))
    torch.abs(torch.complex(x, y)).sum().backward()
    print(
        dtype,
        re,
        im,
        "abs:",
        x.grad.item(),
        y.grad.item(),
        "exact:",
        *(part / torch.hypot(x, y).item() for part in (x.item(), y.item())),
    )
