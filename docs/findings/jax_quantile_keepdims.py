"""JAX: quantile and median of a number with `keepdims=True` have the shape (1,), where NumPy's and JAX's own mean have ()."""

import jax
import jax.numpy as jnp
import numpy as np

print("jax", jax.__version__)
x = np.float32(2.0)
print("JAX quantile  ", jnp.quantile(x, 0.5, axis=None, keepdims=True).shape)
print("JAX median    ", jnp.median(x, axis=None, keepdims=True).shape)
print("NumPy quantile", np.quantile(x, 0.5, axis=None, keepdims=True).shape)
print("JAX mean      ", jnp.mean(x, axis=None, keepdims=True).shape)
