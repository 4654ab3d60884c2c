"""MLX: vecdot refuses operands of different ranks, though the last axis is in both."""

import mlx.core as mx

mx.set_default_device(mx.cpu)

x, y = mx.ones((2, 3)), mx.ones((2, 2, 3))
print("multiply and sum:", mx.sum(x * y, axis=-1).shape)
try:
    print("vecdot:", mx.vecdot(x, y, axis=-1).shape)
except ValueError as error:
    print("vecdot:", error)
