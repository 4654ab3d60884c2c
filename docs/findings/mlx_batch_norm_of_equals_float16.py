"""MLX: batch_norm in float16, of a channel whose entries are equal: the gradient is NaN, since the slope of rsqrt at eps overflows."""

import mlx.core as mx
import mlx.nn as nn

mx.set_default_device(mx.cpu)


def gradient(dtype, g):
    """Of two equal entries of one channel."""
    layer = nn.BatchNorm(1, eps=1e-5)
    layer.set_dtype(dtype)
    x, g = mx.array([[2.0], [2.0]], dtype=dtype), mx.array([[x] for x in g], dtype=dtype)
    return mx.vjp(layer, [x], [g])[1][0].flatten().tolist()


for dtype in (mx.float32, mx.float16):
    print(f"{dtype}: {gradient(dtype, [-0.25, -1.75])}")
print("right, but for rounding: [237.2, -237.2]")
