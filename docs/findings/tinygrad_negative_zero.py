"""tinygrad: asinh, tanh and other odd functions of -0.0 are 0.0; abs of -0.0 is -0.0."""

import numpy as np
from tinygrad import Tensor

for name in ("asin", "asinh", "atan", "atanh", "erf", "round", "sinh", "tanh", "sin", "tan"):
    print(f"{name}(-0.0): got {getattr(Tensor(np.array([-0.0])), name)().numpy()[0]}, expected -0.0")
print(f"abs(-0.0): got {Tensor(np.array([-0.0])).abs().numpy()[0]}, expected 0.0")
