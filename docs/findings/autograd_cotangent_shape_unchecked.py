"""autograd: a pullback takes a cotangent of any shape, and gives a gradient of that shape or of another one."""

import importlib.metadata

import autograd.numpy as np
from autograd import make_vjp

print("autograd", importlib.metadata.version("autograd"))
x = np.ones((2, 3))
for name, function in (("-x", np.negative), ("x * x", lambda x: x * x)):
    pullback, y = make_vjp(function)(x)
    for shape in ((3, 2), (6,), (3,), (1, 2, 3)):
        try:
            print(
                f"{name}: cotangent {shape} of an output {y.shape} -> gradient",
                pullback(np.ones(shape)).shape,
            )
        except ValueError as error:
            print(f"{name}: cotangent {shape} of an output {y.shape} -> ValueError:", error)
