"""autograd: the gradient of a norm of order 1.5 is NaN by an entry that is 0, where it is 0: beside 2 the norm changes by less than any multiple of that entry."""

import importlib.metadata

import autograd
import autograd.numpy as np

print("autograd", importlib.metadata.version("autograd"))
x = np.array([0.0, 2.0])
print("ord 3", autograd.grad(lambda x: np.linalg.norm(x, 3))(x))
print("ord 1.5", autograd.grad(lambda x: np.linalg.norm(x, 1.5))(x))
for step in (1e-4, 1e-6):
    moved = np.array([step, 2.0])
    print("slope between 0 and", step, (np.linalg.norm(moved, 1.5) - np.linalg.norm(x, 1.5)) / step)
