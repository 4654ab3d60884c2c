"""tinygrad: argmax and argmin of a whole tensor ignore `keepdim`."""

import numpy as np
from tinygrad import Tensor

x = Tensor(np.array([[1.0, 2.0], [3.0, 0.0]]))
for name in ("argmax", "argmin", "max", "min"):
    print(
        f"{name}(axis=None, keepdim=True): shape {getattr(x, name)(axis=None, keepdim=True).shape}, right (1, 1)"
    )
