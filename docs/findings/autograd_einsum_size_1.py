"""autograd: where a letter is summed that has size 1 in another operand, einsum's gradient keeps that operand's size."""

import importlib.metadata

import autograd.numpy as np
from autograd import grad, make_vjp

print("autograd", importlib.metadata.version("autograd"))
x, y = np.ones((2, 3)), np.ones((1, 2))
pullback, z = make_vjp(lambda a: np.einsum("ij,jk->ik", a, y))(x)
print(f"an operand of shape {x.shape} has a gradient of shape {pullback(np.ones(z.shape)).shape}")

# and where that gradient is differentiated, there is an error
a, b = np.ones((1, 2, 3)), np.ones((2, 1))


def weighed(a, b):
    """The sum of the gradient by both operands."""
    pullback, _ = make_vjp(lambda pair: np.einsum("...ij,...j->...i", *pair))((a, b))
    return sum(np.sum(part) for part in pullback(np.ones((2, 2))))


try:
    print(grad(weighed, (0, 1))(a, b))
except ValueError as error:
    print("the gradient of that gradient:", error)
