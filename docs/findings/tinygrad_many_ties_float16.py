"""tinygrad: the gradients of 70 001 equal entries of max in float16 add up to far more than the upstream gradient."""

import numpy as np
from tinygrad import Tensor

for dtype in (np.float32, np.float16):
    x = Tensor(np.zeros(70_001, dtype)).clone()
    (2 * x.max()).backward()
    print(
        f"{dtype.__name__}: the gradients add up to {x.grad.numpy().astype(np.float32).sum():.4g}, expected 2"
    )
