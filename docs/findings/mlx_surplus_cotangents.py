"""MLX: mx.vjp of a function of two outputs takes three cotangents, and ignores the last."""

import mlx.core as mx

print("mlx", mx.__version__)
x, w = mx.array([1.0, 2.0]), mx.array([3.0, 4.0])
given = [mx.ones(2), mx.ones(2), mx.full(2, 100.0)]
_, found = mx.vjp(lambda a, b: (a * b, -a), [x, w], given)
print("two outputs, three cotangents; an error is expected:", [g.tolist() for g in found])
