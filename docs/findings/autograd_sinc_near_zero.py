"""autograd: sinc's first three derivatives are NaN at 0 and lose their digits near it: the rule divides by x squared."""

import importlib.metadata
import math
import warnings

from autograd import grad
from autograd import numpy as np

warnings.simplefilter("ignore")
print("autograd", importlib.metadata.version("autograd"))
for x in (0.0, 1e-200, 1e-6, 1e-4, 1e-2):
    p = math.pi * x  # the first terms of Taylor's series are exact here
    for order, got, exact in (
        (1, grad(np.sinc)(x), math.pi * (-p / 3 + p**3 / 30 - p**5 / 840)),
        (2, grad(grad(np.sinc))(x), math.pi**2 * (-1 / 3 + p**2 / 10 - p**4 / 168)),
        (3, grad(grad(grad(np.sinc)))(x), math.pi**3 * (p / 5 - p**3 / 42)),
    ):
        print(f"derivative {order} of sinc at {x}: got {got}, exactly {exact}")
