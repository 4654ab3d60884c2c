"""MLX: far out the gradient of softsign is a difference of two numbers that agree but for rounding."""

import mlx.core as mx
import mlx.nn as nn

mx.set_default_device(mx.cpu)
print("mlx", mx.__version__)
for dtype, far in ((mx.float64, 3 * 2.0**49), (mx.float32, 3 * 2.0**20)):
    got = mx.grad(lambda x: nn.softsign(x).sum())(mx.array([far], dtype)).item()
    print("softsign at", far, "in", dtype, "got", got, "expected", (1 + far) ** -2)
