"""MLX: value_and_grad and grad return the gradients in the order of the operands, whatever the order of `argnums`."""

from importlib.metadata import version

import mlx.core as mx

print("mlx", version("mlx"))
mx.set_default_device(mx.cpu)


def product(x, w):
    """The sum of x w, whose gradients are w and x."""
    return (x * w).sum()


x, w = mx.array([1.0, 2.0]), mx.array([30.0, 40.0])
for argnums in ([0, 1], [1, 0]):
    print(argnums, mx.value_and_grad(product, argnums)(x, w)[1])  # of [1, 0]: [1, 2], [30, 40]
    print(argnums, mx.grad(product, argnums)(x, w))
