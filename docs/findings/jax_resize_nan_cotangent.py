"""jax: images are resized by products of matrices, so that a NaN, or a NaN cotangent, reaches samples that have no share in its own."""

import jax
import jax.numpy as jnp

print("jax", jax.__version__)
x = jnp.ones((1, 1, 6))
resized, pullback = jax.vjp(lambda a: jax.image.resize(a, (1, 1, 12), "linear", antialias=False), x)
g = jnp.ones(resized.shape).at[0, 0, 0].set(jnp.nan)
print("the cotangent of the first sample is NaN, which is a share of the first; the gradient is NaN at:")
print(jnp.isnan(pullback(g)[0]).astype(int)[0, 0].tolist())
print("the first sample is NaN; the value is NaN at:")
spoilt = jax.image.resize(x.at[0, 0, 0].set(jnp.nan), (1, 1, 12), "linear", antialias=False)
print(jnp.isnan(spoilt).astype(int)[0, 0].tolist())
