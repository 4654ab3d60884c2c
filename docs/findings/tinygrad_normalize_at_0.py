"""tinygrad: the gradient of normalize at 0 is NaN, where it divides by eps, not by the norm."""

import numpy as np
from tinygrad import Tensor

for values in ([0.0, 0.0], [1e-6, 0.0]):
    x = Tensor(np.array(values)).clone()
    x.normalize(p=2.0, dim=-1, eps=0.5).sum().backward()
    print(f"normalize of {values}, eps = 0.5: gradient {x.grad.numpy()}, expected [2. 2.]")
