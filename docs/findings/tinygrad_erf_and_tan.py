"""tinygrad: erf has seven digits in float64, and tan of the number next to pi / 2 is an infinity."""

import math

import numpy as np
from tinygrad import Tensor

print("erf(-1) of float64: got", Tensor(np.array([-1.0])).erf().numpy()[0], "expected", math.erf(-1.0))
for dtype in (np.float32, np.float64):
    x = np.array([-np.pi / 2], dtype)
    got, expected = Tensor(x).tan().numpy()[0], np.tan(x)[0]
    print(f"tan({x[0]}) of {np.dtype(dtype)}: got {got}, expected {expected}")
