"""autograd: the gradient of repeat along a negative axis is summed along another one."""

import importlib.metadata

import autograd.numpy as np
from autograd import make_vjp

print("autograd", importlib.metadata.version("autograd"))
for x, axis in ((np.array([1.0, 2.0, 3.0]), -1), (np.array([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]), -2)):
    for named in (axis, axis % x.ndim):
        pullback, y = make_vjp(lambda x, a=named: np.repeat(x, 2, axis=a))(x)
        gradient = pullback(np.arange(1.0, y.size + 1).reshape(y.shape))
        print(
            f"repeat(x of shape {x.shape}, 2, axis={named}): gradient of shape {gradient.shape}, {gradient.tolist()}"
        )
