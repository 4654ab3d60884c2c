"""jax: the determinant of a matrix without entries is 1, and its gradient raises."""

import jax
import jax.numpy as jnp

print("jax", jax.__version__)
x = jnp.zeros((0, 0))
print("det", jnp.linalg.det(x), ", expected gradient of shape", x.shape)
try:
    print("gradient", jax.grad(jnp.linalg.det)(x))
except IndexError as error:
    print("gradient: IndexError:", error)
