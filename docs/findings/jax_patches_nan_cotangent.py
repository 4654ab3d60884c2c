"""jax: patches are a convolution with zeros and ones, so that a NaN cotangent reaches entries that are not in its patch."""

import jax
import jax.numpy as jnp

print("jax", jax.__version__)
x = jnp.ones((1, 2, 2, 4))
patches, pullback = jax.vjp(lambda a: jax.lax.conv_general_dilated_patches(a, (2, 2), (2, 2), "VALID"), x)
g = jnp.ones(patches.shape).at[0, 0, 0, 0].set(jnp.nan)
print("the cotangent of one entry of the left patch of the first channel is NaN; the gradient is NaN at:")
print(jnp.isnan(pullback(g)[0]).astype(int)[0].tolist())
