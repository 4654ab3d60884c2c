"""jax 0.4: jax.numpy.linalg.norm refuses an empty tuple of axes, which NumPy's vector_norm takes for none."""

import jax
import jax.numpy as jnp

print("jax", jax.__version__)
try:
    print(jnp.linalg.vector_norm(jnp.array([3.0, -4.0]), axis=()), "expected [3. 4.]")
except ValueError as error:
    print("ValueError:", error)
