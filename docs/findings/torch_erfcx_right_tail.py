"""torch: far on the right the gradient of erfcx is the difference of two numbers that are equal: -1/(√π x²) is lost."""

import math

import torch

print("torch", torch.__version__)
for dtype, places in ((torch.float32, (1e2, 1e3, 1e4)), (torch.float64, (1e4, 1e7, 1e9))):
    for place in places:
        x = torch.tensor(place, dtype=dtype, requires_grad=True)
        torch.special.erfcx(x).backward()
        print(
            dtype,
            f"at {place:g}: got {x.grad.item():.6g}, exactly {-1 / (math.sqrt(math.pi) * place**2):.6g}",
        )
