"""MLX: the gradient of logcumsumexp leaves out a cotangent of NaN, which the other scans pass on."""

import mlx.core as mx

mx.set_default_device(mx.cpu)
x = mx.array([1.0, 2.0, 3.0])
cotangent = mx.array([1.0, float("nan"), 1.0])
for name, scan, expected in (
    ("logcumsumexp", mx.logcumsumexp, "[nan, nan, 0.66…]"),
    ("cumsum", mx.cumsum, "[nan, nan, 1.0]"),
):
    print(f"{name}: got {mx.vjp(scan, [x], [cotangent])[1][0].tolist()}, expected {expected}")
