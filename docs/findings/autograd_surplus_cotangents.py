"""autograd: more cotangents than outputs, and more tangents than operands, are taken, and the rest is ignored."""

import importlib.metadata

import autograd.builtins
import autograd.numpy as np
from autograd import make_jvp, make_vjp

print("autograd", importlib.metadata.version("autograd"))
x, w, one, far = np.array([1.0, 2.0]), np.array([3.0, 4.0]), np.ones(2), np.full(2, 100.0)
pullback, _ = make_vjp(lambda xs: autograd.builtins.tuple((xs[0] * xs[1], -xs[0])))((x, w))
print("two outputs, three cotangents; an error is expected:", pullback((one, one, far)))
push = make_jvp(lambda xs: xs[0] * xs[0])((x,))
print("one operand, two tangents; an error is expected:", push((one, far))[1])
