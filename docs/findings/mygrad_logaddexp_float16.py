"""MyGrad: in float16 the weight of the smaller operand of logaddexp is 1 / (1 + exp(b - a)), whose exponential overflows."""

import mygrad as mg
import numpy as np

a = mg.tensor(np.float16(17.75))
b = mg.tensor(np.full(1000, 33.0, np.float16))
y = mg.logaddexp(a, b)
y.backward(np.ones(1000, np.float16))
print("mygrad", mg.__version__)
print("got     ", a.grad)  # 0.0
print("expected", 1000 / (1 + np.exp(33.0 - 17.75)))  # 2.4e-4, which float16 has
