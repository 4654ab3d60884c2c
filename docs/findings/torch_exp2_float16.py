"""torch: a gradient of 2 ** x in float16 is infinite where the true one fits: cotangent times power overflows first."""

import torch

print("torch", torch.__version__)
for dtype in (torch.float64, torch.float16):
    exponent = torch.tensor(15.75, dtype=dtype, requires_grad=True)
    torch.exp2(exponent).backward(torch.tensor(1.296875, dtype=dtype))
    print(dtype, float(exponent.grad), "float16 ends at", torch.finfo(torch.float16).max)
