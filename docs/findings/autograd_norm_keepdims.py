"""autograd: linalg.norm along an axis with keepdims=True has a gradient of another shape than its operand."""

import importlib.metadata

import autograd.numpy as np
from autograd import make_jvp, make_vjp

print("autograd", importlib.metadata.version("autograd"))
for keepdims in (False, True):
    pullback, y = make_vjp(lambda x, keepdims=keepdims: np.linalg.norm(x, 2, axis=1, keepdims=keepdims))(
        np.ones((3, 3))
    )
    print(f"keepdims={keepdims}: operand (3, 3), gradient", pullback(np.ones(y.shape)).shape)

x, direction = np.array([0.375, -1.125, 0.5]), np.array([-0.25, 2.25, 2.5])
pullback, z = make_vjp(lambda x: np.linalg.norm(x, ord=np.inf))(x)
tangent = make_jvp(lambda x: np.linalg.norm(x, ord=np.inf))(x)(direction)[1]
print("ord=inf: the gradient is", pullback(1.0), "the tangent", tangent, "but it should be -2.25")
