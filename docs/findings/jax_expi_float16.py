"""JAX: expi of float16 is an infinity or NaN from 9 on, where the value is far below the largest number."""

import jax.numpy as jnp
from jax.scipy.special import expi

for x in (8.0, 9.0, 9.5, 11.0):
    half, single = expi(jnp.asarray(x, jnp.float16)), expi(jnp.asarray(x, jnp.float32))
    print(
        f"expi({x}) of float16: got {half}, expected {single:.0f}; the largest is {jnp.finfo(jnp.float16).max}"
    )
