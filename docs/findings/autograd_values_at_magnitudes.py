"""autograd: SciPy's gammaln of a subnormal number is infinite, its i1 overflows early, and its betaln loses digits; against mpmath."""

import importlib.metadata

import autograd.scipy.special as special
import mpmath

mpmath.mp.dps = 40
print("autograd", importlib.metadata.version("autograd"))
x = 2.95896e-319
print(f"gammaln({x}): got {special.gammaln(x)}, exactly {float(mpmath.loggamma(x))}")
a, b = 180.37748945525266, 0.1856488718039544
exact = mpmath.loggamma(a) + mpmath.loggamma(b) - mpmath.loggamma(mpmath.mpf(a) + mpmath.mpf(b))
print(f"betaln({a}, {b}): got {special.betaln(a, b)}, exactly {float(exact)}")
x = 711.96861047
print(f"i1({x}): got {special.i1(x)}, exactly {float(mpmath.besseli(1, x))}")
