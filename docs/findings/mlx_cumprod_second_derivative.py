"""MLX: the second derivative of cumprod is NaN where an entry is 0."""

import mlx.core as mx

mx.set_default_device(mx.cpu)


def slope(x):
    """The gradient of the last product, summed with weights."""
    last = mx.grad(lambda x: mx.cumprod(x)[-1])(x)
    return mx.sum(last * mx.array([1.0, 2.0, 3.0]))


print("got", mx.grad(slope)(mx.array([2.0, 3.0, 0.0])).tolist(), "expected [11.0, 7.0, 7.0]")
