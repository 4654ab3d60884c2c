"""JAX: the gradient of an angle divides by the square of the size, which is 0 of small numbers."""

import jax
import jax.numpy as jnp
import numpy as np

jax.config.update("jax_enable_x64", True)

x, y = -4e-251, 8e-251
print(
    "gradient:",
    jax.grad(lambda a: jnp.angle(jax.lax.complex(a, y)))(x),
    "expected",
    -y / np.hypot(x, y) / np.hypot(x, y),
)
