"""torch: nearest interpolation of 14 samples to 46, where place 23 is on sample 7: in float64 the value is sample 7's, and its gradient goes to sample 6.

In float32 both are sample 6's: the scale is rounded, and 23 · (14/46) is less than 7.
"""

import torch
import torch.nn.functional as F

print("torch", torch.__version__)
for dtype in (torch.float64, torch.float32):
    x = torch.arange(14, dtype=dtype)[None, None].requires_grad_()
    resized = F.interpolate(x, size=(46,), mode="nearest")
    resized[0, 0, 23].backward()
    print(
        f"{dtype}: place 23 takes sample {int(resized[0, 0, 23])}; its gradient goes to sample {int(x.grad.argmax())}"
    )
