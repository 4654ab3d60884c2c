"""autograd: SciPy's beta loses digits beside a large operand, and with it autograd's gradient."""

import importlib.metadata

import autograd.scipy.special as special
import mpmath
from autograd import grad

print("autograd", importlib.metadata.version("autograd"))
mpmath.mp.prec = 200
for a, b in ((180.37748945525266, 0.1856488718039544), (1856.788724941079, 1.6e-20)):
    exact = mpmath.beta(mpmath.mpf(a), mpmath.mpf(b))
    slope = exact * (mpmath.digamma(mpmath.mpf(b)) - mpmath.digamma(mpmath.mpf(a) + mpmath.mpf(b)))
    print(f"beta{a, b}: got", special.beta(a, b), "exactly", float(exact))
    print("    its gradient in b: got", grad(special.beta, 1)(a, b), "exactly", mpmath.nstr(slope, 17))
