"""autograd: the gradient of abs at a subnormal number is not the cotangent with a sign, but that with few digits."""

import importlib.metadata

import autograd.numpy as np
from autograd import make_vjp

print("autograd", importlib.metadata.version("autograd"))
for x in (1.0, 3.3e-320):
    pullback, _ = make_vjp(np.abs)(np.array(x))
    print(f"abs at {x}: got {pullback(np.array(1.75))}, expected 1.75")
