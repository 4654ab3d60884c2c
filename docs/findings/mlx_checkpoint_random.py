"""mx.checkpoint draws other random numbers in the backward pass: the gradient of a dropout layer is of another mask."""

import mlx.core as mx


def dropout(x):
    """x with every second entry set to zero, on average."""
    return x * mx.random.bernoulli(0.5, x.shape).astype(x.dtype)


x = mx.arange(1.0, 9.0)
for name, function in (("plain", dropout), ("checkpoint", mx.checkpoint(dropout))):
    (y,), (gradient,) = mx.vjp(function, [x], [mx.ones_like(x)])
    print(name, "kept", (y != 0).astype(mx.int32).tolist(), "gradient", gradient.astype(mx.int32).tolist())
