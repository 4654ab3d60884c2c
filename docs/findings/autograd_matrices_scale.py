"""autograd: svd and matrix norms take squares without a scale, which overflow: the gradient of large matrices is NaN, or 0.

The singular vectors do not depend on the scale of a matrix; of the matrix times t, their gradient is that of the matrix over t.
"""

import autograd.numpy as np
from autograd import grad

MATRIX = np.array([[2.0, 1.0], [0.5, 1.0]])
CALLS = {
    "svd": lambda x: np.linalg.svd(x, full_matrices=False)[0][0, 0],
    "norm over the scale": lambda x: np.linalg.norm(x) / x[0, 0],
}

for name, call in CALLS.items():
    for exponent in (0, 562, -562):
        t = 2.0**exponent
        with np.errstate(all="ignore"):
            slopes = t * grad(call)(t * MATRIX)
        print(f"{name}, times 2^{exponent}: the gradient, times 2^{exponent}:", slopes.tolist())
