"""MLX: x.at[index] puts values elsewhere than x[index] reads them, if an integer stands apart from index arrays."""

import mlx.core as mx

mx.set_default_device(mx.cpu)

ones = mx.array([1, 0])
index = (slice(None), 0, Ellipsis, ones, mx.array([0, 1]))
values = mx.arange(8.0).reshape(2, 2, 2)
written = mx.zeros((2, 1, 2, 2, 2)).at[index].add(values)
print("reads a shape of", written[index].shape)
print("wrote", values.tolist(), "and reads", written[index].tolist())
