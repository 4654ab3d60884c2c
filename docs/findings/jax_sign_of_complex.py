"""JAX: the sign of a complex number, z / |z|, is differentiated as a constant, also where the number turns."""

import jax
import jax.numpy as jnp

jax.config.update("jax_enable_x64", True)
print("jax", jax.__version__)
z, t, h = jnp.array([1.0 + 2.0j]), jnp.array([0.5 - 1.0j]), 1e-6
print("the tangent of sign(z):", jax.jvp(jnp.sign, (z,), (t,))[1])
print("the tangent of z / abs(z):", jax.jvp(lambda x: x / jnp.abs(x), (z,), (t,))[1])
print("by differences:", (jnp.sign(z + h * t) - jnp.sign(z - h * t)) / (2 * h))
