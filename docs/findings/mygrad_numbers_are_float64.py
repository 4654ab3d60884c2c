"""MyGrad 2.5.0 with NumPy 2: a Python number is a float64 operand, so that float32 and float16 do not last.

NumPy itself keeps the array's dtype: its numbers are weak (NEP 50). MyGrad makes an array of each number, which is not.
"""

import mygrad as mg
import numpy as np

for dtype in (np.float32, np.float16):
    x = mg.tensor(np.ones(2, dtype))
    values = {
        "x * 2.0": x * 2.0,
        "1 / x": 1 / x,
        "x**0.5": x**0.5,
        "clip": mg.clip(x, 0.5, 1.5),
        "where": mg.where(np.array([True, False]), x, 0.5),
        "leaky_relu": mg.nnet.leaky_relu(x, 0.1),
        "soft_sign": mg.nnet.soft_sign(x),
    }
    for what, value in values.items():
        print(f"{what} of {x.dtype}: {value.dtype}, expected {x.dtype}")
