"""tinygrad: of the backward calls from the parts of a split only the first reaches the gradient, or it cannot be computed."""

import numpy as np
from tinygrad import Tensor

for values in ([1.0, 2.0, 3.0], [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]):
    x = Tensor(values).clone()
    for part, g in zip(x.split(1, dim=-1), (1.0, 2.0, 3.0), strict=True):
        part.backward(Tensor(np.full(part.shape, g, np.float32)))
    try:
        print("got", x.grad.tolist(), "expected 1, 2, 3 along the last axis")
    except AssertionError as error:
        print("AssertionError:", error)
