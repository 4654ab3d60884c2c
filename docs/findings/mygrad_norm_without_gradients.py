"""MyGrad: the largest entry, as a norm, cannot be computed in a scope in which nothing is recorded."""

import mygrad as mg
import numpy as np

print("mygrad", mg.__version__)
x = mg.tensor([3.0, 4.0])
print("recorded:", mg.linalg.norm(x, ord=np.inf))
with mg.no_autodiff:
    try:
        print("in no_autodiff:", mg.linalg.norm(x, ord=np.inf))
    except AttributeError as error:
        print("in no_autodiff: AttributeError:", error)
