"""torch: `special.ndtr` loses its left tail, which is what is left of 1 + erf(x/√2): 0 from about -8.3 on; against mpmath."""

import mpmath
import torch

print("torch", torch.__version__)
mpmath.mp.prec = 100
for dtype in (torch.float64, torch.float32):
    for x in (-3.0, -6.0, -9.0):
        got, exact = float(torch.special.ndtr(torch.tensor(x, dtype=dtype))), float(mpmath.ncdf(x))
        print(dtype, f"ndtr({x}) got {got}, exactly {exact}, relative error {abs(got / exact - 1):.2g}")
