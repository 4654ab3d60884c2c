"""autograd: a cotangent of another dtype is neither refused nor cast, and the gradient gets its dtype."""

import importlib.metadata

import autograd.numpy as np
from autograd import make_vjp

print("autograd", importlib.metadata.version("autograd"))
for operand, cotangent in (("float64", "float32"), ("float32", "float64")):
    pullback, _ = make_vjp(np.negative)(np.ones(3, operand))
    print(
        f"a {operand} operand, a {cotangent} cotangent: a gradient of", pullback(np.ones(3, cotangent)).dtype
    )

# With several operands each gradient ends in an array of the right dtype, but was summed in the other:
pullback, _ = make_vjp(lambda xs: xs[0] + xs[1])((np.zeros(()), np.zeros(3)))
g = np.array([1e8, 1.0, -1e8])
print("sum of", g, "in float64", pullback(g)[0], "and of its float32", pullback(g.astype("float32"))[0])
