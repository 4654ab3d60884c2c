"""MLX: second derivatives that are NaN, or of one side only, where those of the function are finite."""

import mlx.core as mx
import mlx.nn as nn

mx.set_default_device(mx.cpu)


def second(function, x):
    """The second derivative."""
    return mx.grad(mx.grad(function))(mx.array(x)).item()


for name, function, x, expected in (
    ("tanh at 1000", mx.tanh, 1000.0, "0"),
    ("gelu_approx at 1000", nn.gelu_approx, 1000.0, "0"),
    ("x ** 1 at 0", lambda x: mx.power(x, mx.array(1.0)), 0.0, "0"),
    ("huber at a hit", lambda x: nn.losses.huber_loss(x, mx.array(2.0)), 2.0, "1"),
    ("smooth_l1 at a hit", lambda x: nn.losses.smooth_l1_loss(x, mx.array(2.0)), 2.0, "1"),
):
    print(f"{name}: got {second(function, x)}, expected {expected}")
