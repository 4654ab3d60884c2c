"""MyGrad: where recurses without end if its condition is a tensor."""

import mygrad as mg
import numpy as np

print("mygrad", mg.__version__)
x, mask = mg.tensor([1.0, 2.0, 3.0]), np.array([True, False, True])
print("an array", mg.where(mask, x, 0.0))
try:
    print("a tensor", mg.where(mg.tensor(mask), x, 0.0))
except RecursionError as error:
    print("a tensor RecursionError:", error)
