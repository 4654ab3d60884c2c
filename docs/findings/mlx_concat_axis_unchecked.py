"""MLX: the axis along which one array is concatenated is not checked."""

import mlx.core as mx

mx.set_default_device(mx.cpu)

print(
    "one array of one axis, along axis 10: got",
    mx.concatenate([mx.ones(3)], axis=10),
    "where an error is expected",
)
try:
    mx.concatenate([mx.ones(3), mx.ones(3)], axis=10)
except IndexError as error:
    print("two arrays:", error)
