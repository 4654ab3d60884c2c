"""autograd: an array that a checkpointed function captures, beside an operand that has a gradient, gets zeros."""

import importlib.metadata

import autograd.numpy as np
from autograd import checkpoint, grad

print("autograd", importlib.metadata.version("autograd"))
x, w = np.array([1.0, 2.0]), np.array([3.0, 5.0])
for name, around in (("a plain function", lambda f: f), ("a checkpoint", checkpoint)):
    of_x, of_w = grad(lambda x, w, around=around: np.sum(around(lambda a: a * w)(x)), argnum=(0, 1))(x, w)
    print(f"sum(x * w), w captured by {name}: the gradient of x is {of_x}, that of w {of_w}")
for name, around in (("a plain function", lambda f: f), ("a checkpoint", checkpoint)):
    first = grad(lambda x, w, around=around: np.sum(around(lambda a: a * a * w)(x)), argnum=(0, 1))
    second = grad(lambda x, first=first: np.sum(first(x, w)[0]))
    print(
        f"sum(x * x * w), w captured by {name}: the gradient's derivative by x is {second(x)}, 2 w is {2 * w}"
    )
