"""tinygrad: fmod by infinity is NaN, where it is the number itself."""

import math

from tinygrad import Tensor

got = Tensor([-1.5, 2.0]).fmod(Tensor([math.inf, math.inf])).numpy()
print("got", got, "expected", [math.fmod(-1.5, math.inf), math.fmod(2.0, math.inf)])
