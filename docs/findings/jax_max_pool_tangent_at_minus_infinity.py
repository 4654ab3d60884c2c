"""jax: where a window holds only -inf, the maximum's tangent is 0, while its gradient goes to one entry."""

import jax
import jax.numpy as jnp


def pooled(x):
    """The maximum of one window."""
    return jax.lax.reduce_window(x, -jnp.inf, jax.lax.max, (2,), (2,), "VALID")


print("jax", jax.__version__)
for value in (1.0, -jnp.inf):
    x = jnp.full(2, value)
    gradient = jax.vjp(pooled, x)[1](jnp.ones(1))[0]
    tangents = [float(jax.jvp(pooled, (x,), (e,))[1][0]) for e in jnp.eye(2)]
    print(f"both entries {value}: gradient {gradient.tolist()}, tangents {tangents}")
