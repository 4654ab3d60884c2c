"""MLX: a constant -0.0 in a function that is compiled is 0.0."""

import mlx.core as mx

print("mlx", mx.__version__)
x = mx.array([1.0, 2.0])
print("1 / -0.0:          ", x / -0.0)
print("1 / -0.0, compiled:", mx.compile(lambda x: x / -0.0)(x))
