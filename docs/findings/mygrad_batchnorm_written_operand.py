"""MyGrad's batchnorm: a scale that is written in place after the call changes the gradient, without an error."""

import mygrad as mg
import numpy as np
from mygrad.nnet.layers import batchnorm

print("mygrad", mg.__version__)
for is_written in (False, True):
    x, gamma = mg.tensor([[1.0, 2.0], [3.0, 5.0], [4.0, 1.0]]), mg.tensor([1.0, 2.0])
    taken = gamma * 1
    z = batchnorm(x, gamma=taken, beta=mg.tensor([0.0, 0.0]), eps=1e-5)
    total = (z * np.array([[1.0, 0.0], [0.0, 2.0], [0.0, 0.0]])).sum()
    if is_written:
        taken[...] = 7.0
    total.backward()
    print(
        "x's gradient", "after a write into the scale:" if is_written else "without a write:", x.grad.tolist()
    )
