"""MLX: the product of an array of shape (0, 3) is what was in memory, most often 0."""

import mlx.core as mx
import numpy as np

mx.set_default_device(mx.cpu)
for shape in ((0,), (0, 3), (3, 0)):
    x = mx.array(np.zeros(shape), dtype=mx.float64)
    print(f"shape {shape}: got {mx.prod(x).item()}, expected 1.0")
