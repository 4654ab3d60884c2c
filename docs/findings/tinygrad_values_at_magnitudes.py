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
    ("atanh", 1e-10, np.float32, 1e-10),
    ("elu", -1e-10, np.float32, -1e-10),
    ("tanh", 1e-10, np.float32, 1e-10),
    ("celu", -1e-10, np.float32, -1e-10),
    ("erf", 1e-10, np.float32, 1.128379e-10),
    ("sin", 1e75, np.float64, np.sin(1e75)),
    ("cos", 1e7, np.float64, np.cos(1e7)),
    ("tan", 1e7, np.float64, np.tan(1e7)),
    ("logsigmoid", 40.0, np.float64, -np.exp(-40.0)),
    ("logsigmoid", 40.0, np.float32, -np.exp(-40.0)),
    ("atan", 1e300, np.float64, np.pi / 2),
    ("relu6", 6096.0, np.float16, 6.0),
    ("hardsigmoid", 7828.0, np.float16, 1.0),
    ("hardswish", 10648.0, np.float16, 10648.0),
    ("asinh", -6884.0, np.float16, np.arcsinh(-6884.0)),
    ("sinh", 11.34, np.float16, np.sinh(11.34)),
    ("atanh", 2.4e-4, np.float16, 2.4e-4),
    ("erf", 2.4e-4, np.float16, 2.708e-4),
    ("tanh", -2.41637e-4, np.float16, -2.41637e-4),
    ("celu", -2.4e-4, np.float16, -2.4e-4),
    ("elu", -2.4e-4, np.float16, -2.4e-4),
):
    got = getattr(Tensor(np.array([value], dtype)), name)().numpy()[0]
    print(f"{name} of {np.dtype(dtype)} at {value:g}: got {got:.8g}, expected {expected:.8g}")
