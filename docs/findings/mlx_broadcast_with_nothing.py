"""MLX: of arrays of shapes (1,) and (0,) nn.prelu has a value of shape (1,)."""

import mlx.core as mx
import mlx.nn as nn

mx.set_default_device(mx.cpu)
x, slope = mx.ones((1,)), mx.zeros((0,))
print("multiply:", mx.multiply(x, slope).shape, "prelu:", nn.prelu(x, slope).shape, "expected (0,)")
