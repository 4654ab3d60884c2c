"""MLX: a compiled value_and_grad whose function returns beside its value what it also computes for it raises an internal error."""

from importlib.metadata import version

import mlx.core as mx

print("mlx", version("mlx"))
mx.set_default_device(mx.cpu)


def value_and_square(x):
    """The sum of x², and x² beside it."""
    return (x * x).sum(), x * x


def value_and_double(x):
    """The sum of x², and 2 x beside it."""
    return (x * x).sum(), x + x


x = mx.array([1.0, 2.0])
print(mx.value_and_grad(value_and_square)(x))
print(mx.compile(mx.value_and_grad(value_and_double))(x))
try:
    print(mx.compile(mx.value_and_grad(value_and_square))(x))
except IndexError as error:
    print("IndexError:", error)
