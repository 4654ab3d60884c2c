"""torch: the gradient of a cumulative product in float16 is infinite: cotangents times products overflow, then are divided."""

import torch

print("torch", torch.__version__)
x, g = [13.25, -13.375, -14.125], [-36.0, -20.0, -44.0]
for dtype in (torch.float64, torch.float16):
    leaf = torch.tensor(x, dtype=dtype, requires_grad=True)
    leaf.cumprod(0).backward(torch.tensor(g, dtype=dtype))
    print(dtype, leaf.grad.tolist(), "float16 ends at", torch.finfo(torch.float16).max)
