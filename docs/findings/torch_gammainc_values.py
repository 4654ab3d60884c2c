"""torch: the values of gammainc and gammaincc are some twenty units in the last place off; against mpmath."""

import mpmath
import torch

mpmath.mp.prec = 200
print("torch", torch.__version__)
for name, function in (("gammainc", torch.special.gammainc), ("gammaincc", torch.special.gammaincc)):
    for a, x in ((2.5, 2.511300330105304), (10.0, 0.0625), (10.0, 14.4375), (10.0, 19.8125)):
        ends = (0, x) if name == "gammainc" else (x, mpmath.inf)
        exact = mpmath.gammainc(a, *ends, regularized=True)
        got = function(*(torch.tensor(v, dtype=torch.float64) for v in (a, x))).item()
        error = float(abs(mpmath.mpf(got) - exact) / exact * 2**52)
        print(f"{name}({a}, {x}): got {got}, exactly {float(exact)}, an error of {error:.1f} times 2^-52")
