"""jax: exp1 loses digits in single precision at 1."""

import jax
import jax.numpy as jnp

print("jax", jax.__version__)
print("expected 0.21938393, got", jax.scipy.special.exp1(jnp.float32(1)))
