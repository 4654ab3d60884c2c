"""autograd: the gradients of diag and diagonal have another shape than a matrix that is not square."""

import importlib.metadata

import autograd.numpy as np
from autograd import make_vjp

print("autograd", importlib.metadata.version("autograd"))
pullback, y = make_vjp(np.diag)(np.ones((2, 3)))
print("operand (2, 3), gradient", pullback(np.ones(y.shape)).shape)
pullback, y = make_vjp(lambda x: np.diagonal(x, 0, -1, -2))(np.ones((4, 2, 3)))
print("diagonal of the last two axes: operand (4, 2, 3), gradient", pullback(np.ones(y.shape)).shape)
