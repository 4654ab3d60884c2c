"""MLX: gradients of huge and small operands overflow or vanish on the way, and those in a tail are 0."""

import mlx.core as mx
import mlx.nn as nn

mx.set_default_device(mx.cpu)


def norm(x):
    """The Euclidean norm."""
    return mx.linalg.norm(x, 2, axis=0)


for name, function, operands, expected in (
    ("elu at 100", nn.elu, [100.0], "1"),
    ("gelu_approx at 1e20", nn.gelu_approx, [1e20], "1"),
    ("atan2 at 3e-36, 3e-36", mx.arctan2, [3e-36, 3e-36], "1.7e35"),
    ("divide at 1e36, 1e36, by the second", lambda x, y: mx.divide(y, x), [1e36, 1e36], "-1e-36"),
    ("acosh at 1e36", mx.arccosh, [1e36], "1e-36"),
    ("asinh at 1e36", mx.arcsinh, [1e36], "1e-36"),
    ("log10 at 1.5e-39", mx.log10, [1.5e-39], "2.9e38"),
    ("expm1 at -40", mx.expm1, [-40.0], "4e-18"),
    ("logaddexp at 40, 0, by the second", lambda x, y: mx.logaddexp(y, x), [0.0, 40.0], "4e-18"),
):
    gradients = mx.vjp(function, [mx.array(x) for x in operands], [mx.array(1.0)])[1]
    print(f"{name}: got {gradients[0].item()}, expected {expected}")
print("norm of 3e36, 4e36: got", mx.grad(norm)(mx.array([3e36, 4e36])).tolist(), "expected [0.6, 0.8]")
huge = mx.array([1e36, 1e36])
print("logcumsumexp:", mx.grad(lambda x: mx.logcumsumexp(x)[1])(huge).tolist(), "expected [0.5, 0.5]")
small = mx.array([1.125, 1e-44])
print("cumprod:", mx.grad(lambda x: mx.cumprod(x)[1])(small).tolist(), "expected [1e-44, 1.125]")
