"""torch: the gradient of hardsigmoid in float64 is 1/6 rounded to float32."""

import numpy as np
import torch
import torch.nn.functional as F

x = torch.tensor(0.5, dtype=torch.float64, requires_grad=True)
F.hardsigmoid(x).backward()
print("torch", torch.__version__)
print("got     ", repr(x.grad.item()))
print("expected", repr(1 / 6), " difference", x.grad.item() - 1 / 6)
h = 2.0**-20
d = torch.float64
slope = (F.hardsigmoid(torch.tensor(0.5 + h, dtype=d)) - F.hardsigmoid(torch.tensor(0.5 - h, dtype=d))) / (
    2 * h
)
print("central difference of torch's own forward", slope.item())
print("float32(1/6) as float64", float(np.float32(1 / 6)))
