"""jax in float16: the gradient of a maximum that 70 000 entries attain is zero, since ties are counted in float16."""

import jax
import jax.numpy as jnp

print("jax", jax.__version__)
for dtype in (jnp.float32, jnp.bfloat16, jnp.float16):
    for count in (60_000, 70_000):
        weights = jax.grad(jnp.max)(jnp.full(count, 2, dtype))
        total = weights.astype(jnp.float32).sum()
        print(f"{count} ties in {dtype.__name__}: the weights sum to {total:.3f}, exactly 1")
