"""jax: the gradient of cumprod is no number where products of later entries overflow, though no cumulative product does.

Products are made pair by pair, then pair of pairs by pair of pairs: here the last two first, 1e400.
"""

import jax
import jax.numpy as jnp

jax.config.update("jax_enable_x64", True)
print("jax", jax.__version__)

x = jnp.array([1.0, 1e-250, 1e200, 1e200])
print("cumprod:", jnp.cumprod(x).tolist())
gradient = jax.grad(lambda x: jnp.cumprod(x)[1])(x)
print("gradient of its second entry: got", gradient.tolist(), "exact", [1e-250, 1.0, 0.0, 0.0])
