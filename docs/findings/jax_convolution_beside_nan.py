"""jax: in float32 a weight that is NaN makes the gradient of entries NaN that no output of the convolution looks at.

With stride 3 and two taps 2 apart no output sees entries 1 and 4; their gradients are zero, and in float64 they are.
"""

import jax
import jax.numpy as jnp

jax.config.update("jax_enable_x64", True)
print("jax", jax.__version__)
for dtype in (jnp.float64, jnp.float32):
    x, nan = jnp.arange(1, 7, dtype=dtype).reshape(1, 1, 6), float("nan")
    for weights in ([1.0, 2.0], [nan, 2.0]):
        w = jnp.array([[weights], [[0.5, 0.5]]], dtype)
        y, pullback = jax.vjp(
            lambda x, w=w: jax.lax.conv_general_dilated(x, w, (3,), [(0, 0)], rhs_dilation=(2,)), x
        )
        (gradient,) = pullback(jnp.ones_like(y))
        print(dtype.__name__, "weights", weights, "gradient", gradient[0, 0].tolist())
