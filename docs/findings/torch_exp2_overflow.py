"""torch: a gradient of 2 ** x is infinite where the true one fits: cotangent times power overflows first."""

import math

import torch

print("torch", torch.__version__)
for dtype, x, g in ((torch.float16, 15.75, 1.296875), (torch.float32, 127.237, 2.25)):
    exponent = torch.tensor(x, dtype=dtype, requires_grad=True)
    torch.exp2(exponent).backward(torch.tensor(g, dtype=dtype))
    exact = g * math.log(2) * 2.0 ** float(exponent.detach())
    print(dtype, float(exponent.grad), "exact", exact, "largest", torch.finfo(dtype).max)
