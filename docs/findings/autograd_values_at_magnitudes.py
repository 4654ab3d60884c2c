"""autograd: SciPy's gammaln of a subnormal number is infinite, its i1 overflows early, and its betaln loses digits; against mpmath."""

import importlib.metadata

import autograd
import autograd.numpy as np
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
# 0.008 times a subnormal number has one digit, where the quotient of both has all
x, y = 6.635e-321, 6.37487e-317
got = autograd.grad(lambda x: 0.008 * np.hypot(x, y))(x)
print("0.008 hypot: got", got, "exactly", 0.008 * (x / float(np.hypot(x, y))))
print("i0 at -711: got", autograd.grad(special.i0)(-711.0), "exactly -2e307")
