"""jax: the gradients of prod and cumprod are lost where products made pair by pair overflow, and those in order do not.

Entry 0 and 1, 2 and 3 are multiplied first, then pairs of pairs.
"""

import jax
import jax.numpy as jnp

jax.config.update("jax_enable_x64", True)
print("jax", jax.__version__)

x = jnp.array([1e-250, 1e200, 1e-250, 1e200])
print("prod:", jnp.prod(x).item())
print("its gradient: got", jax.grad(jnp.prod)(x).tolist(), "exact", [1e150, 1e-300, 1e150, 1e-300])

x = jnp.array([1.0, 1e-250, 1e200, 1e200])
print("cumprod:", jnp.cumprod(x).tolist())
gradient = jax.grad(lambda x: jnp.cumprod(x)[1])(x)
print("gradient of its second entry: got", gradient.tolist(), "exact", [1e-250, 1.0, 0.0, 0.0])
