"""MyGrad: a NaN in the cotangent of cumprod disappears, since what is NaN in its rule is taken for 0/0."""

import warnings

import mygrad as mg
import numpy as np

warnings.simplefilter("ignore")
print("mygrad", mg.__version__)
for last in (1.0, np.nan):
    x = mg.tensor([2.0, 1.0, 3.0])
    mg.cumprod(x).backward(np.array([1.0, 1.0, last]))
    print(
        f"cotangent [1, 1, {last}]: gradient {x.grad.tolist()}, of which every entry depends on the last cotangent"
    )
