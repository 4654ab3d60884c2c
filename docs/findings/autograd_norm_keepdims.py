"""autograd: linalg.norm along an axis with keepdims=True has a gradient of another shape than its operand."""

import importlib.metadata

import autograd.numpy as np
from autograd import make_vjp

print("autograd", importlib.metadata.version("autograd"))
for keepdims in (False, True):
    pullback, y = make_vjp(lambda x, keepdims=keepdims: np.linalg.norm(x, 2, axis=1, keepdims=keepdims))(
        np.ones((3, 3))
    )
    print(f"keepdims={keepdims}: operand (3, 3), gradient", pullback(np.ones(y.shape)).shape)
