"""jax on the CPU: the gradient of mish in float64, against mpmath."""

import jax
import jax.numpy as jnp
import mpmath
import numpy as np

jax.config.update("jax_enable_x64", True)
mpmath.mp.prec = 200
grad = jax.vmap(jax.grad(jax.nn.mish))
xs = np.linspace(-16, 16, 2049)
got = np.asarray(grad(jnp.asarray(xs)))
errors = []
for x, y in zip(xs, got, strict=True):
    m = mpmath.mpf(float(x))
    t = mpmath.tanh(mpmath.log(1 + mpmath.exp(m)))
    exact = t + m * (1 - t * t) / (1 + mpmath.exp(-m))
    errors.append(
        (
            float(abs(mpmath.mpf(float(y)) - exact) / np.spacing(abs(float(exact)))),
            float(x),
            float(y),
            float(exact),
        )
    )
print("jax", jax.__version__, "worst (ulp, x, got, exact):", sorted(errors)[-5:])
