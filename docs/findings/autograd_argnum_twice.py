"""autograd: where an operand is named twice, its first gradient is zeros, silently."""

from importlib.metadata import version

import autograd.numpy as np
from autograd import grad, value_and_grad

print("autograd", version("autograd"))


def product(x, w):
    """The sum of x w."""
    return np.sum(x * w)


x, w = np.array([1.0, 2.0]), np.array([30.0, 40.0])
print(value_and_grad(product, (0, 0))(x, w))  # [30, 40] twice
print(grad(product, (1, 0, 1))(x, w))  # [1, 2], [30, 40], [1, 2]
