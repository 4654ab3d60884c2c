"""jax on the CPU: erfinv in float64 is a dozen units in the last place off; against mpmath."""

import jax
import jax.numpy as jnp
import mpmath
import numpy as np

jax.config.update("jax_enable_x64", True)
mpmath.mp.prec = 200
print("jax", jax.__version__)
worst = (0.0, 0.0)
for y in np.linspace(0.001, 0.99, 991):
    exact = mpmath.erfinv(mpmath.mpf(float(y)))
    error = abs(mpmath.mpf(float(jax.scipy.special.erfinv(jnp.float64(y)))) - exact)
    worst = max(worst, (float(error / np.spacing(float(exact))), float(y)))
print("worst error in units in the last place, at y =", worst)
p = 0.8647482804919993
z = mpmath.sqrt(2) * mpmath.erfinv(2 * mpmath.mpf(p) - 1)
got = float(jax.grad(jax.grad(jax.scipy.special.ndtri))(p))
print(
    "the second derivative of ndtri at",
    p,
    "got",
    got,
    "exactly",
    float(2 * mpmath.pi * z * mpmath.exp(z * z)),
)
