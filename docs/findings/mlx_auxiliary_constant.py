"""MLX: what a function returns beside its value is a constant to a gradient around value_and_grad, silently."""

from importlib.metadata import version

import mlx.core as mx

print("mlx", version("mlx"))
mx.set_default_device(mx.cpu)


def value_and_square(x):
    """A value, and x² beside it."""
    return x.sum(), x * x


def outer(x):
    """The sum of x², handed on beside a value with its gradient."""
    (_, square), _ = mx.value_and_grad(value_and_square)(x)
    return square.sum()


x = mx.array([1.0, 2.0])
print(outer(x))  # 5
print(mx.grad(outer)(x))  # 2 x
print(mx.grad(lambda a: value_and_square(a)[1].sum())(x))
