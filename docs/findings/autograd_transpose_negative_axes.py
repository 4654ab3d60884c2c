"""autograd: the gradient of transpose with negative axes is permuted wrongly, without an error where the shapes fit."""

import importlib.metadata

import autograd.numpy as np
from autograd import make_vjp

print("autograd", importlib.metadata.version("autograd"))
x = np.arange(8.0).reshape(2, 2, 2)
for axes in ((1, 2, 0), (1, -1, 0)):
    pullback, y = make_vjp(lambda x, axes=axes: np.transpose(x, axes))(x)
    # A permutation's gradient undoes it: what goes back for y is x.
    print(f"axes {axes}: got {pullback(y).ravel().tolist()}, expected {x.ravel().tolist()}")
