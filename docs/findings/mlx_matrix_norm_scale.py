"""MLX: the squares of a matrix norm's entries are summed without a scale: the norm overflows, and its gradient is 0."""

import mlx.core as mx

x = mx.array([[3e20, 0.0], [0.0, 4e20]])
print("expected 5e20 and the slopes 0.6 and 0.8, got", mx.linalg.norm(x), mx.grad(mx.linalg.norm)(x))
