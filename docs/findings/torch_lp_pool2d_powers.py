"""torch: lp_pool1d and lp_pool2d of windows of one entry are the entry; the powers on the way overflow or vanish, and value and gradient are lost."""

import torch
import torch.nn.functional as F

print("torch", torch.__version__)
for dtype, entries in (("float64", (1e178, 2e-240)), ("float32", (1e24, 1e-26)), ("float16", (400.0, 1e-4))):
    for entry in entries:
        x = torch.full((1, 1, 1, 1), entry, dtype=getattr(torch, dtype), requires_grad=True)
        y = F.lp_pool2d(x, 2.0, (1, 1))
        y.sum().backward()
        print(
            f"{dtype}: of {x.item():.4g} the norm is {y.item():.4g}, exactly {x.item():.4g}; "
            f"its gradient {x.grad.item():.4g}, exactly 1"
        )
