"""jax on the CPU: log1p in float64 is tens of ulp off for x around -0.3; NumPy's is within one."""

import jax
import jax.numpy as jnp
import mpmath
import numpy as np

jax.config.update("jax_enable_x64", True)

mpmath.mp.prec = 200
worst = (0, 0)
for x in np.linspace(-0.99, 3, 4001):
    exact = mpmath.log(1 + mpmath.mpf(float(x)))
    if exact == 0:
        continue
    ulp = np.spacing(abs(float(exact)))
    worst = max(worst, (float(abs(mpmath.mpf(float(jnp.log1p(x))) - exact) / ulp), float(x)))
print("jax", jax.__version__, "worst error in ulp, at x =", worst)
n = max(
    (
        float(
            abs(mpmath.mpf(float(np.log1p(x))) - mpmath.log(1 + mpmath.mpf(float(x))))
            / np.spacing(abs(float(np.log1p(x))))
        ),
        float(x),
    )
    for x in np.linspace(-0.99, 3, 4001)
    if x
)
print("numpy", np.__version__, n)
