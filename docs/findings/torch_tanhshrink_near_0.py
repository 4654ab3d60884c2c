"""torch: the gradient of tanhshrink, tanh(x)², is computed as 1 - (1 - tanh(x)²): 0 in single precision near 0."""

import torch
import torch.nn.functional as F

print("torch", torch.__version__)
for dtype in (torch.float32, torch.float64):
    x = torch.tensor(2.0**-20, dtype=dtype, requires_grad=True)
    F.tanhshrink(x).backward()
    print(f"{dtype}: the gradient at 2**-20 is {x.grad.item():.9g}, not {2.0**-40:.9g}")
