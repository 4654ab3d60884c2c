"""jax on the CPU: digamma loses digits around its zero at 1.46; against mpmath."""

import jax
import mpmath

jax.config.update("jax_enable_x64", True)
mpmath.mp.prec = 200
print("jax", jax.__version__)
for x in (1.4375, 1.4609375, 1.46142578125, 1.6682149931930037):
    got, exact = mpmath.mpf(float(jax.scipy.special.digamma(x))), mpmath.digamma(x)
    print(
        "digamma of",
        x,
        "got",
        float(got),
        "exactly",
        float(exact),
        "relative error",
        float(abs(got - exact) / abs(exact)),
    )
