"""MLX: elu and celu subtract 1 from an exponential, and lose the digits of small values."""

import math

import mlx.core as mx
import mlx.nn as nn

mx.set_default_device(mx.cpu)
for value in (-0.0072554853, -1e-5, -1e-9):
    x = mx.array(value)
    exact = math.expm1(x.item())
    print(f"at {value}: got elu {nn.elu(x).item()}, celu {nn.celu(x).item()}, exactly {exact}")
