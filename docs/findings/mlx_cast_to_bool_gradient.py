"""MLX: a cast to truth values passes the gradient on, and so do any and all along an axis of one entry."""

import mlx.core as mx

mx.set_default_device(mx.cpu)

ones = mx.ones((2,))
for name, function, x in (
    ("a cast", lambda x: mx.sum(x.astype(mx.bool_) * ones), ones),
    ("any along an axis of one entry", lambda x: mx.sum(mx.any(x, axis=0) * ones), mx.ones((1, 2))),
    ("all along an axis of one entry", lambda x: mx.sum(mx.all(x, axis=0) * ones), mx.ones((1, 2))),
    ("any along an axis of two", lambda x: mx.sum(mx.any(x, axis=0) * ones), mx.ones((2, 2))),
):
    print(f"{name}: got {mx.grad(function)(x).tolist()}, expected zeros")
try:
    mx.vjp(lambda x: mx.logical_or(x, mx.array([True, False])) * x, [mx.array(-1.0)], [ones])
except ValueError as error:
    print("logical_or of a 0-d array and truth values:", error)
