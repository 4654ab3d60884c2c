"""tinygrad: far out the gradient of softsign is a difference of two numbers that agree but for rounding."""

import numpy as np
from tinygrad import Tensor

for dtype, far in ((np.float64, 3 * 2.0**49), (np.float32, 3 * 2.0**20)):
    x = Tensor(np.array([far], dtype))
    (slope,) = x.softsign().sum().gradient(x)
    print(
        f"softsign at {far:.4g} in {dtype.__name__}: got {slope.item():.4g}, expected {(1 + far) ** -2:.4g}"
    )
