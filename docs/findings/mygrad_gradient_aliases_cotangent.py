"""MyGrad: the gradient of a tensor that is its own output is the caller's gradient argument."""

import mygrad as mg
import numpy as np

print("mygrad", mg.__version__)
x = mg.tensor([0.0, 0.0])
g = np.ones(2)
x.backward(g)
g[...] = 7
print("x.grad after g was written into:", x.grad, "expected [1. 1.]")
