"""tinygrad: expressions are simplified as those of real numbers, so that NaN is lost, and a gradient depends on what is known."""

import numpy as np
from tinygrad import Tensor

values = np.array([1.0, 0.0, np.inf, np.nan])
x = Tensor(values)
with np.errstate(all="ignore"):
    print("x - x: got", (x - x).numpy(), "expected", values - values)
    print("x / x: got", (x / x).numpy(), "expected", values / values)
    print("x * 0: got", (x * 0).numpy(), "expected", values * 0)

x = Tensor(np.array([-1.0])).clone()
y = x.sqrt().square()
y.backward(Tensor(np.array([1.0])))
print("square(sqrt(-1)): value", y.numpy(), "gradient", x.grad.numpy(), "expected NaN")
