"""autograd: the gradient of diag(x) has another shape than x where x is not square."""

import importlib.metadata

import autograd.numpy as np
from autograd import make_vjp

print("autograd", importlib.metadata.version("autograd"))
pullback, y = make_vjp(np.diag)(np.ones((2, 3)))
print("operand (2, 3), gradient", pullback(np.ones(y.shape)).shape)
