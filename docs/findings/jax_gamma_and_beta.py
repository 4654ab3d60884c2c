"""jax: gamma and beta are exponentials of logarithms, and lose digits in proportion to those; against mpmath.

The logarithm of beta(1.25, 13.0) has seven digits, in double precision too; of small operands in float16 it gives NaN.
"""

import jax
import jax.numpy as jnp
import mpmath
from jax.scipy.special import beta, gamma

jax.config.update("jax_enable_x64", True)
mpmath.mp.prec = 200
print("jax", jax.__version__)
for x in (20.5, 60.25, 2.5172521898251368e-20, 1.9921793482478042e-84):
    print("gamma at", x, "got", gamma(x), "exactly", float(mpmath.gamma(mpmath.mpf(x))))
for a, b in ((0.125, 1.75), (5.0, 0.5), (1.25, 13.0), (180.37748945525266, 0.1856488718039544)):
    exact = mpmath.beta(mpmath.mpf(a), mpmath.mpf(b))
    slope = exact * (mpmath.digamma(mpmath.mpf(a)) - mpmath.digamma(mpmath.mpf(a) + b))
    print(f"beta{a, b}: got", beta(a, b), "exactly", float(exact))
    print("    its gradient in a: got", jax.grad(beta)(a, b), "exactly", float(slope))
for dtype in (jnp.float32, jnp.float16):
    a, b = dtype(2.375), dtype(1.7285e-05)
    print("the gradient of beta in a at", a, b, "in", dtype.__name__, "got", jax.grad(beta)(a, b))
