"""MLX: selu's constants have six digits, and binary_cross_entropy's logarithm ends at -100, as documented."""

import mlx.core as mx
import mlx.nn as nn

mx.set_default_device(mx.cpu)
print("selu(1):", nn.selu(mx.array(1.0)).item(), "where the scale is 1.0507009873554805")
loss = nn.losses.binary_cross_entropy
p, t = mx.array(1e-44), mx.array(1.0)
print("binary_cross_entropy of 1e-44:", loss(p, t, with_logits=False).item(), "where -log p is 101.31")
