"""tinygrad: of several shifts along one axis a roll takes the last alone."""

import numpy as np
from tinygrad import Tensor

x = np.arange(4)
print("got", Tensor(x).roll((1, 2), (0, 0)).tolist(), "expected", np.roll(x, (1, 2), (0, 0)).tolist())
