"""jax: the gradient of betainc is NaN at an end where an exponent is 1, and elsewhere its derivative: zero times the logarithm of zero.

Its value and its gradient lose digits, up to a hundred units; against mpmath.
"""

import jax
import mpmath
from jax.scipy.special import betainc

jax.config.update("jax_enable_x64", True)
mpmath.mp.prec = 200
print("jax", jax.__version__)
for a, b, x, exact in (
    (1.0, 1.0, 0.0, 1.0),
    (1.0, 1.0, 1.0, 1.0),
    (1.0, 2.5, 0.0, 2.5),
    (2.0, 3.0, 0.0, 0.0),
):
    print(
        f"the gradient of betainc({a}, {b}, x) at", x, "got", jax.grad(betainc, 2)(a, b, x), "exactly", exact
    )
second = jax.grad(jax.grad(betainc, 2), 2)
for a, b, x, exact in ((2.0, 3.0, 0.0, 12.0), (2.0, 3.0, 1.0, 0.0)):
    print(f"the second derivative of betainc({a}, {b}, x) at", x, "got", second(a, b, x), "exactly", exact)
for a, b, x in ((2.0, 3.0, 0.4102499232782016), (10.0, 0.5, 0.8971431321990934)):
    at = mpmath.mpf(x)
    exact = mpmath.betainc(a, b, 0, at, regularized=True)
    slope = at ** (a - 1) * (1 - at) ** (b - 1) / mpmath.beta(a, b)
    print(f"betainc({a}, {b}, {x}): got", betainc(a, b, x), "exactly", float(exact))
    print("    its gradient: got", jax.grad(betainc, 2)(a, b, x), "exactly", float(slope))
