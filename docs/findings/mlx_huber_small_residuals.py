"""MLX: the gradient of huber_loss loses digits where residuals are small: δ is added to it, and taken away."""

import mlx.core as mx
import mlx.nn as nn

mx.set_default_device(mx.cpu)
x, target = mx.array([0.0]), mx.array([2.4e-4])


def loss(x, delta):
    """Of one residual."""
    return nn.losses.huber_loss(x, target, delta=delta, reduction="sum")


for delta in (1.0, 7.3, 1000.0):
    print(f"δ = {delta}: gradient {mx.grad(loss)(x, delta).item():.9g}, true {-target.item():.9g}")
