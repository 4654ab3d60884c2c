"""MLX: the product of an array of shape (0, 3), and whether all of it is true, is what was in memory, most often 0."""

import mlx.core as mx
import numpy as np

mx.set_default_device(mx.cpu)
for shape in ((0,), (0, 3), (3, 0)):
    x = mx.array(np.zeros(shape), dtype=mx.float64)
    print(f"shape {shape}: got {mx.prod(x).item()}, expected 1.0")

counted = 0
for number in range(100):
    mx.eval(mx.zeros((8,)) + number)  # memory that is free again, with something in it
    mx.eval(mx.array(np.zeros(4, bool)))
    counted += not mx.all(mx.array(np.zeros((2, 0)))).item()
print(f"mx.all of shape (2, 0): False {counted} times of 100, expected 0")
