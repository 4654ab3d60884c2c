"""jax on the CPU: what was stretched along several axes gets a gradient in half precision that is summed up in half precision."""

import jax
import jax.numpy as jnp

print("jax", jax.__version__)
for dtype, shapes in ((jnp.bfloat16, ((140,), (2, 7, 10))), (jnp.float16, ((4096,), (2, 256, 8)))):
    for shape in shapes:
        cotangent = jnp.full(shape, -2.75, dtype)
        _, pullback = jax.vjp(lambda b, s=shape: jnp.broadcast_to(b, s), dtype(0.5))
        got, exact = float(pullback(cotangent)[0]), -2.75 * cotangent.size
        print(
            dtype.__name__, cotangent.size, "times -2.75, along the axes", shape, "got", got, "exactly", exact
        )
bias = jnp.zeros(3, jnp.bfloat16)
_, pullback = jax.vjp(lambda b: jnp.zeros((2, 3, 10, 7), jnp.bfloat16) + b[:, None, None], bias)
got = pullback(jnp.full((2, 3, 10, 7), -1.5, jnp.bfloat16))[0]
print("the bias of a layer:", got, "exactly", -1.5 * 140)
