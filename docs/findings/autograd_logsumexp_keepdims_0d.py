"""autograd: logsumexp of a 0-d array with keepdims=True, or over no axes, has one axis, and so has its gradient; it is SciPy's."""

import importlib.metadata

import autograd.numpy as np
from autograd import make_vjp
from autograd.scipy.special import logsumexp

print("autograd", importlib.metadata.version("autograd"), "scipy", importlib.metadata.version("scipy"))
pullback, y = make_vjp(lambda x: logsumexp(x, keepdims=True))(np.array(1.0))
print("operand (), value", y.shape, "gradient", np.shape(pullback(np.ones(1))))
print("over no axes, value", logsumexp(np.array(1.0), axis=()).shape)
