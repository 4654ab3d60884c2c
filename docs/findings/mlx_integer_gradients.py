"""MLX: the gradient with respect to integers is an integer: 0.5 becomes 0."""

import mlx.core as mx

mx.set_default_device(mx.cpu)
n, w = mx.array([1, 2]), mx.array([0.5, 0.25])
gradient = mx.grad(lambda n: mx.sum(n * w))(n)
print("got", gradient, gradient.dtype, "where the gradient is [0.5, 0.25], or an error")
