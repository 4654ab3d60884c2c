"""MLX: the second derivative of cumprod is NaN where an entry is 0, and so is the third of prod, which uses it."""

import mlx.core as mx

mx.set_default_device(mx.cpu)
WEIGHTS = mx.array([1.0, 2.0, 3.0])
OPERAND = mx.array([2.0, 3.0, 0.0])


def slope(function):
    """The gradient of a function, summed with weights."""
    return lambda x: mx.sum(mx.grad(function)(x) * WEIGHTS)


last = lambda x: mx.cumprod(x)[-1]  # noqa: E731
pull = lambda g: mx.vjp(mx.cumprod, [OPERAND], [g])[1][0]  # noqa: E731
print("cumprod: got", mx.grad(slope(last))(OPERAND).tolist(), "expected [9.0, 6.0, 7.0]")
print("prod: got", mx.grad(slope(mx.prod))(OPERAND).tolist(), "expected [9.0, 6.0, 7.0]")
print("prod, third: got", mx.grad(slope(slope(mx.prod)))(OPERAND).tolist(), "expected [12.0, 6.0, 4.0]")
(by_cotangent,) = mx.vjp(pull, [WEIGHTS], [mx.array([1.0, 0.0, 0.0])])[1]
print("cumprod, by its cotangent: got", by_cotangent.tolist(), "expected [1.0, 3.0, 0.0]")
