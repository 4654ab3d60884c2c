"""MyGrad: a NaN in one row of cumprod's operand makes the gradients of the other rows those of a sum."""

import warnings

import mygrad as mg
import numpy as np

warnings.simplefilter("ignore")
print("mygrad", mg.__version__)
for first in (2.0, np.nan):
    x = mg.tensor(np.array([[first, 1.0, 3.0], [2.0, 4.0, 5.0]]))
    mg.cumprod(x, axis=1).backward(np.ones((2, 3)))
    print(f"first row [{first}, 1, 3]: gradient of [2, 4, 5] {x.grad[1].tolist()}, exact [25, 12, 8]")
cotangent = np.ones((2, 3))
cotangent[0, 0] = np.nan
x = mg.tensor(np.array([[2.0, 1.0, 3.0], [2.0, 4.0, 5.0]]))
mg.cumprod(x, axis=1).backward(cotangent)
print(f"the first cotangent NaN: gradient of [2, 4, 5] {x.grad[1].tolist()}, exact [25, 12, 8]")
