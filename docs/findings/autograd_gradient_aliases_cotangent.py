"""autograd: the gradient is the caller's cotangent, or a view of it: writing into the one changes the other."""

import importlib.metadata

import autograd.numpy as np
from autograd import make_vjp

print("autograd", importlib.metadata.version("autograd"))
for name, function in (
    ("x", lambda x: x),
    ("x + 1", lambda x: x + 1),
    ("reshape", lambda x: np.reshape(x, (3, 2))),
    ("transpose", np.transpose),
    ("pad", lambda x: np.pad(x, 1, "constant")),
    ("einsum", lambda x: np.einsum("ij->ji", x)),
    ("concatenate", lambda x: np.concatenate((x, np.zeros((1, 3))))),
):
    pullback, y = make_vjp(function)(np.ones((2, 3)))
    g = np.ones(y.shape)
    gradient = pullback(g)
    g[...] = 7
    print(f"{name}: the gradient was ones; after the cotangent was written into it is {gradient.tolist()}")

pullback, y = make_vjp(np.sum)(np.array(1.0))
g = np.ones(())
print("sum of a 0-d array: the gradient is the cotangent itself:", pullback(g) is g)

pullback, y = make_vjp(np.diag)(np.ones(2))
print("diag of a vector: the gradient can be written:", pullback(np.ones(y.shape)).flags.writeable)
