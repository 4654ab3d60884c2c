"""The exponential integral Ei(0) is -inf; jax.scipy.special.expi gives NaN."""

import jax
import jax.numpy as jnp

jax.config.update("jax_enable_x64", True)
print("jax", jax.__version__)
for x in (1e-300, 0.0):
    print(x, jax.scipy.special.expi(jnp.array(x)))  # -690.2, -inf
