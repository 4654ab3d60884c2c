"""jax: an infinite place makes the gradient of interp's values NaN, which it takes from one end."""

import jax
import jax.numpy as jnp

print("jax", jax.__version__)
points, values = jnp.array([0.0, 1.0, 2.0]), jnp.array([1.0, 2.0, 4.0])
for place in (5.0, jnp.inf):
    slopes = jax.grad(lambda values, x: jnp.interp(x, points, values))(values, place)
    print("at", place, "expected 0, 0 and 1, got", slopes.tolist())
