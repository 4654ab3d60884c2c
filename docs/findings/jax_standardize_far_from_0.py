"""jax: nn.standardize takes the mean of squares less the square of the mean, which is lost far from 0, with its gradient."""

import jax
import jax.numpy as jnp

print("jax", jax.__version__)
x = jnp.array([1.0, 2.0, 4.0], jnp.float32)


def first(x):
    """The first entry, standardised."""
    return jax.nn.standardize(x, epsilon=1e-5)[0]


for shift in (0.0, 2048.0, 16384.0):
    value, slopes = jax.value_and_grad(first)(x + shift)
    print("shifted by", shift, "expected the same, got", value, slopes.tolist())

pair = [-2.75, -2.625]
for dtype in (jnp.float32, jnp.bfloat16):
    print(pair, "in", dtype.__name__, jax.nn.standardize(jnp.array(pair, dtype), epsilon=1e-5).tolist())
