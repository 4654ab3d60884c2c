"""autograd: polygamma is SciPy's, which is of float64 for operands of float32, and so is the gradient of digamma."""

import autograd
import autograd.numpy as np
from autograd.scipy.special import digamma, gammaln, polygamma

for dtype in (np.float16, np.float32):
    x = np.array([0.5, 1.5], dtype)
    print(np.dtype(dtype), "the value of polygamma has", polygamma(1, x).dtype)
    for function in (gammaln, digamma):
        gradient = autograd.elementwise_grad(function)(x)
        print("    the gradient of", function.__name__, "has", gradient.dtype)
