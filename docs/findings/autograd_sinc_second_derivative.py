"""autograd: the second derivative of sinc is NaN at 0 and loses its digits near it: the rule divides by x twice over."""

import importlib.metadata
import math

from autograd import grad
from autograd import numpy as np

print("autograd", importlib.metadata.version("autograd"))
for x in (0.0, 1e-6, 1e-4, 1e-2, 0.5):
    got = grad(grad(np.sinc))(x)
    p = math.pi * x  # the Taylor series of sinc'' near 0, the closed form elsewhere
    near = math.pi**2 * (-1 / 3 + p**2 / 10 - p**4 / 168)
    exact = near if x < 0.1 else math.pi**2 * ((2 - p * p) * math.sin(p) - 2 * p * math.cos(p)) / p**3
    print(f"sinc''({x}): got {got}, exactly {exact}")
