"""JAX: sinh of a small complex number loses its digits, where sin of it has all of them."""

import jax
import jax.numpy as jnp
import numpy as np

jax.config.update("jax_enable_x64", True)

x = 1e-12 + 1e-12j
expected = x + x**3 / 6
for name, value in {
    "sinh(x)": jnp.sinh(jnp.asarray(x)),
    "sinh(x), compiled": jax.jit(jnp.sinh)(jnp.asarray(x)),
    "sin(x * 1j) / 1j": jnp.sin(jnp.asarray(x * 1j)) / 1j,
}.items():
    print(f"{name}: {np.asarray(value)}, expected {expected}, wrong by {abs(value / expected - 1):.1e} of it")
