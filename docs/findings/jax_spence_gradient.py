"""jax: the gradient of spence is 0 at 1 and NaN at 2 and beside 1, wrong near 0, and loses digits elsewhere; against mpmath.

It is that of the approximation by which the value is computed, of whose pieces those that are not used pass NaN on.
"""

import jax
import mpmath
from jax.scipy.special import spence

jax.config.update("jax_enable_x64", True)
mpmath.mp.prec = 200
print("jax", jax.__version__)
for x in (1.0, 2.0, 1 + 2.0**-52, 2.5e-20, 0.25, 3.75):
    at = mpmath.mpf(x)
    slope = mpmath.log(at) / (1 - at) if x != 1 else mpmath.mpf(-1)
    print("the gradient of spence at", x, "got", jax.grad(spence)(x), "exactly", float(slope))
    second = 1 / (at * (1 - at)) + mpmath.log(at) / (1 - at) ** 2 if x != 1 else mpmath.mpf(1) / 2
    print("    its second derivative: got", jax.grad(jax.grad(spence))(x), "exactly", float(second))
x = float("nan")
print("a cotangent that is NaN at 1 gives", jax.vjp(spence, 1.0)[1](x)[0], "where the derivative is -1")
