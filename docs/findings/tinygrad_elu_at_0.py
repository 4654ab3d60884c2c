"""tinygrad: the gradient of elu at 0 is 0; it is 1 on both sides."""

import numpy as np
from tinygrad import Tensor

x = Tensor(np.array([-1e-6, 0.0, 1e-6])).clone()
x.elu().sum().backward()
print("gradient of elu at -1e-6, 0 and 1e-6: got", x.grad.numpy(), "expected [0.999999 1. 1.]")
