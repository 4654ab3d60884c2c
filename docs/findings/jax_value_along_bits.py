"""jax on the CPU: the value that comes along with a gradient differs in bits from the plain value, which is fused otherwise."""

import jax
import jax.numpy as jnp
import numpy as np

x = jnp.array([-1.125, -2.75, -2.5], dtype=jnp.float32)
y = jnp.array(-2.875, dtype=jnp.float32)
print("jax", jax.__version__)
print("divide  plain", np.asarray(jnp.divide(x, y)).tolist())
print("        along", np.asarray(jax.vjp(jnp.divide, x, y)[0]).tolist())

rng = np.random.default_rng(0)
differing = 0
for _ in range(50):
    z = jnp.asarray(rng.uniform(0.1, 3, (3, 3)), dtype=jnp.float32)
    differing += not np.array_equal(jnp.prod(z), jax.vjp(jnp.prod, z)[0])
print(f"prod    {differing} of 50 values differ")
