"""autograd: the gradient of a diagonal of complex numbers loses its imaginary part.

The cotangent is written into a matrix of real numbers; NumPy warns that it discards the imaginary part.
"""

import importlib.metadata

import autograd.numpy as np
from autograd import make_vjp

print("autograd", importlib.metadata.version("autograd"))
cotangent = np.array([1 + 2j, 3 + 4j])
pullback, _ = make_vjp(lambda x: np.diagonal(x, 0, -1, -2))(np.ones((2, 2)) * (1 + 1j))
print("cotangent", cotangent, "gradient", pullback(cotangent).ravel(), "where [1+2j 0 0 3+4j] is right")
