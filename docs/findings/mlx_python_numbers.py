"""MLX: an operation of two Python numbers is computed in float32, so that prelu of a number and a float64 array has its digits."""

import mlx.core as mx
import mlx.nn as nn

mx.set_default_device(mx.cpu)
weight = mx.array([0.5], dtype=mx.float64)
print("dtype of mx.minimum(0, -0.1):", mx.minimum(0, -0.1).dtype)
slope = mx.vjp(lambda w: nn.prelu(-0.1, w), [weight], [mx.ones(1, dtype=mx.float64)])[1][0]
print(f"gradient of prelu(-0.1, weight): got {slope.item()!r}, expected -0.1")
slope = mx.vjp(lambda w: -0.1 * w, [weight], [mx.ones(1, dtype=mx.float64)])[1][0]
print(f"gradient of -0.1 * weight: {slope.item()!r}")
