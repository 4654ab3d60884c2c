"""tinygrad: with a gradient argument of float64, the gradient of a float32 tensor is float64."""

import numpy as np
from tinygrad import Tensor

x = Tensor(np.array([1.0, 2.0], np.float32)).clone()
x.exp().backward(Tensor(np.array([1.0, 1.0], np.float64)))
print("got", x.grad.dtype, "for a tensor of", x.dtype)
