"""jax: patches are a convolution with zeros and ones, so that a NaN cotangent reaches entries that are not in its patch, and a NaN entry other places of a patch."""

import jax
import jax.numpy as jnp

print("jax", jax.__version__)
x = jnp.ones((1, 2, 2, 4))
patches, pullback = jax.vjp(lambda a: jax.lax.conv_general_dilated_patches(a, (2, 2), (2, 2), "VALID"), x)
g = jnp.ones(patches.shape).at[0, 0, 0, 0].set(jnp.nan)
print("the cotangent of one entry of the left patch of the first channel is NaN; the gradient is NaN at:")
print(jnp.isnan(pullback(g)[0]).astype(int)[0].tolist())

# the same of a NaN among the entries: every patch that it is in is NaN in all its places
x = jnp.arange(6.0).reshape(1, 1, 2, 3).at[0, 0, 0, 0].set(jnp.nan)
found = jax.lax.conv_general_dilated_patches(x, (2, 2), (1, 1), "VALID")
print("patches of", x[0, 0].tolist(), "are", found[0].tolist())
