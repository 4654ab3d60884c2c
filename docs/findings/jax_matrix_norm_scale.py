"""jax: the squares of a matrix norm's entries are summed without a scale: the norm overflows, and its gradient is 0."""

import jax
import jax.numpy as jnp

print("jax", jax.__version__)
x = jnp.array([[3e20, 0.0], [0.0, 4e20]], jnp.float32)
norm, slopes = jax.value_and_grad(jnp.linalg.matrix_norm)(x)
print("expected 5e20 and the slopes 0.6 and 0.8, got", norm, slopes.tolist())
