"""jax: gamma is the exponential of a logarithm, and loses digits in proportion to that; against mpmath."""

import jax
import mpmath
from jax.scipy.special import gamma

jax.config.update("jax_enable_x64", True)
mpmath.mp.prec = 200
print("jax", jax.__version__)
for x in (20.5, 60.25, 2.5172521898251368e-20, 1.9921793482478042e-84):
    exact = mpmath.gamma(mpmath.mpf(x))
    print("gamma at", x, "got", gamma(x), "exactly", float(exact))
    slope = exact * mpmath.digamma(mpmath.mpf(x))
    print("    its gradient: got", jax.grad(gamma)(x), "exactly", float(slope))
