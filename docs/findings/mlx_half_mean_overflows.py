"""MLX: a mean in float16 divides a sum in float16, which overflows where the mean does not."""

import mlx.core as mx

print("mlx", mx.__version__)
x = mx.full((4096,), 16, dtype=mx.float16)
print("the mean of 4096 times 16:", mx.mean(x), "and in float32:", mx.mean(x.astype(mx.float32)))
