"""autograd: the gradient of integers is an array of integers, that of truth values truth values, without an error."""

from importlib.metadata import version

import autograd.numpy as np
from autograd.core import make_vjp

print("autograd", version("autograd"))
for x in (np.array([1, 2, 3]), np.array([True, False, True])):
    pullback, value = make_vjp(lambda a: a * a, x)
    print(x.dtype, "-> gradient of x * x", pullback(x), pullback(x).dtype)
