"""jax on the CPU: gammaln loses digits around its zeros at 1 and 2, and polygamma with its exponential; against mpmath."""

import jax
import jax.numpy as jnp
import mpmath

jax.config.update("jax_enable_x64", True)
mpmath.mp.prec = 200
print("jax", jax.__version__)
for dtype in (jnp.float32, jnp.float64):
    for x in (1.0, 1.0078125, 1.9921875, 2.25):
        got = float(jax.scipy.special.gammaln(dtype(x)))
        print(dtype.__name__, "gammaln of", x, "got", got, "exactly", float(mpmath.loggamma(x)))
    ulp = mpmath.mpf(float(jnp.finfo(dtype).eps))
    for n in (2, 3, 5):
        errors = []
        for k in range(1, 129):
            exact = mpmath.polygamma(n, mpmath.mpf(k) / 32)
            got = float(jax.jit(jax.scipy.special.polygamma, static_argnums=0)(n, dtype(k / 32)))
            errors.append(float(abs(mpmath.mpf(got) - exact) / abs(exact) / ulp))
        print(dtype.__name__, f"polygamma({n}, x): worst error in ulp of the largest", round(max(errors), 1))
