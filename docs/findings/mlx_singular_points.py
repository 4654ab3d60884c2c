"""MLX: gradients at kinks, ties and borders that are no slope of the function."""

import mlx.core as mx
import mlx.nn as nn

mx.set_default_device(mx.cpu)
zero = mx.array(0.0)
for name, function, x, expected in (
    ("norm at 0", lambda x: mx.linalg.norm(x, 2, axis=0), mx.zeros(2), "at most 1 long"),
    ("std of equal entries", mx.std, mx.ones(2), "at most 0.5"),
    ("celu at 0", nn.celu, zero, "1"),
    ("prelu at 0, slope 0.25", lambda x: nn.prelu(x, mx.array(0.25)), zero, "between 0.25 and 1"),
    ("x ** 0 at 0", lambda x: mx.power(x, mx.array(0.0)), zero, "0"),
    (
        "binary_cross_entropy of 0, 0",
        lambda x: nn.losses.binary_cross_entropy(x, zero, with_logits=False),
        zero,
        "1",
    ),
    ("logcumsumexp behind -inf", lambda x: mx.logcumsumexp(x)[1], mx.array([float("-inf"), 0.0]), "[0, 1]"),
):
    print(f"{name}: got {mx.grad(function)(x).tolist()}, expected {expected}")
