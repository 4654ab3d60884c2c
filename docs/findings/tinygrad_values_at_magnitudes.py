"""tinygrad: values far from 1 overflow or cancel on the way, so that near 0 and far out digits are lost."""

import numpy as np
from tinygrad import Tensor

for name, value, dtype, expected in (
    ("relu6", 1e10, np.float32, 6.0),
    ("hardsigmoid", 1e10, np.float32, 1.0),
    ("hardswish", 1e30, np.float32, 1e30),
    ("asinh", -1e4, np.float32, np.arcsinh(-1e4)),
    ("acosh", 1e30, np.float32, np.arccosh(1e30)),
    ("atan", 1e30, np.float32, np.arctan(1e30)),
    ("atan", 1e-10, np.float32, 1e-10),
    ("asin", 1e-10, np.float32, 1e-10),
    ("sinh", 1e-10, np.float32, 1e-10),
    ("tanh", 1e-10, np.float32, 1e-10),
    ("celu", -1e-10, np.float32, -1e-10),
    ("erf", 1e-10, np.float32, 1.128379e-10),
    ("sin", 1e75, np.float64, np.sin(1e75)),
    ("cos", 1e7, np.float64, np.cos(1e7)),
    ("tan", 1e7, np.float64, np.tan(1e7)),
):
    got = getattr(Tensor(np.array([value], dtype)), name)().numpy()[0]
    print(f"{name} of {np.dtype(dtype)} at {value:g}: got {got:.8g}, expected {expected:.8g}")
