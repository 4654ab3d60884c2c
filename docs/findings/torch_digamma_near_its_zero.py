"""torch: digamma loses digits around its zero at 1.46; against mpmath."""

import mpmath
import torch

mpmath.mp.prec = 200
print("torch", torch.__version__)
for dtype in (torch.float32, torch.float64):
    for x in (1.4375, 1.4609375, 1.46142578125, 1.52160489559173583984375):
        got, exact = mpmath.mpf(torch.digamma(torch.tensor(x, dtype=dtype)).item()), mpmath.digamma(x)
        error = float(abs(got - exact) / abs(exact))
        print(dtype, "digamma of", x, "got", float(got), "exactly", float(exact), "relative error", error)
