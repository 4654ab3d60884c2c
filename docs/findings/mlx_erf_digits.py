"""MLX: erf of small float32 numbers is 1 less a number near 1: at 1e-7 it is 0."""

import math

import mlx.core as mx

mx.set_default_device(mx.cpu)
for value in (1e-3, 1e-5, 1e-7, 1e-30):
    print(f"erf({value}): got {mx.erf(mx.array(value)).item()}, exactly {math.erf(value)}")
