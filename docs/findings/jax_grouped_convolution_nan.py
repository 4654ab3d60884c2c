"""jax: a NaN cotangent of one group of a convolution reaches the operand of the others, and in float32 their weights."""

import jax
import jax.numpy as jnp

print("jax", jax.__version__)
jax.config.update("jax_enable_x64", True)
for dtype in ("float64", "float32"):
    x, weight = jnp.ones((2, 2, 3, 4), dtype), jnp.ones((4, 1, 2, 2), dtype)
    z, pullback = jax.vjp(
        lambda w, x=x: jax.lax.conv_general_dilated(
            x, w, (1, 2), [(0, 0), (0, 0)], rhs_dilation=(2, 1), feature_group_count=2
        ),
        weight,
    )
    (gradient,) = pullback(jnp.ones(z.shape, dtype).at[0, 0, 0, 0].set(jnp.nan))
    print(dtype, "is NaN, for each of the four channels:", jnp.isnan(gradient).any(axis=(1, 2, 3)).tolist())

x, weight = jnp.full((1, 3, 3, 3), -1.125, "float64"), jnp.full((3, 1, 2, 2), -2.75, "float64")
z, pullback = jax.vjp(
    lambda x: jax.lax.conv_general_dilated(x, weight, (1, 1), [(1, 1), (1, 1)], feature_group_count=3), x
)
(gradient,) = pullback(jnp.ones(z.shape, "float64").at[0, 0, 0, 0].set(jnp.nan))
print(
    "float64, operand: is NaN, for each of the three channels:",
    jnp.isnan(gradient).any(axis=(0, 2, 3)).tolist(),
)
