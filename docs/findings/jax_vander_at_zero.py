"""jax: the gradient of jnp.vander is NaN where an entry is 0."""

import jax
import jax.numpy as jnp

x = jnp.array([0.0, 2.0])
print("the gradient of the sum:", jax.grad(lambda x: jnp.vander(x, 3).sum())(x))
print("expected 2 x + 1:       ", 2 * x + 1)
