"""MLX: slogdet of a matrix with two or three rows is made of its determinant, which overflows, or vanishes, on the way."""

import math

import mlx.core as mx

mx.set_default_device(mx.cpu)
for n, size in ((2, 1e21), (3, 1e13), (2, 1e-30), (4, 1e21)):
    sign, logarithm = mx.linalg.slogdet(size * mx.eye(n))
    print(
        f"{size} on a diagonal of {n}: got {sign.item(), logarithm.item()}, expected {1.0, n * math.log(size)}"
    )
