"""The gradient that a custom rule gives a float32 operand is float64: custom_vjp does not look at dtypes."""

import jax
import jax.numpy as jnp

jax.config.update("jax_enable_x64", True)

product = jax.custom_vjp(lambda x, w: x * w)
product.defvjp(lambda x, w: (x * w, (x, w)), lambda saved, g: (g * saved[1], g * saved[0]))

x, w = jnp.array(3.0, dtype=jnp.float32), jnp.array(5.0, dtype=jnp.float64)
_, pullback = jax.vjp(product, x, w)
print(pullback(jnp.array(1.0, dtype=jnp.float64))[0].dtype)  # expected float32, or a refusal
