"""MLX: the gradients of 70 001 equal entries of max in float16 are 0: their number overflows."""

import mlx.core as mx

mx.set_default_device(mx.cpu)

for dtype in (mx.float32, mx.float16):
    gradient = mx.grad(lambda x: 2 * mx.max(x))(mx.zeros(70_001, dtype=dtype))
    print(f"{dtype}: the gradients add up to {mx.sum(gradient.astype(mx.float32)).item()}, expected about 2")
