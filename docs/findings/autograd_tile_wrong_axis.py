"""autograd: tile(x, n) of a matrix repeats along the last axis; its gradient is summed along the first."""

import importlib.metadata

import autograd.numpy as np
from autograd import make_vjp

print("autograd", importlib.metadata.version("autograd"))
g = np.arange(8.0).reshape(2, 4)
pullback, _ = make_vjp(lambda x: np.tile(x, 2))(np.ones((2, 2)))
print("square, got", pullback(g).tolist(), "expected", (g[:, :2] + g[:, 2:]).tolist())
for shape, reps in (((3, 2), 2), ((3,), 0)):
    pullback, y = make_vjp(lambda x, reps=reps: np.tile(x, reps))(np.ones(shape))
    try:
        print(shape, reps, pullback(np.ones(y.shape)).tolist())
    except (ValueError, ZeroDivisionError) as error:
        print(f"tile of {shape} by {reps}: {type(error).__name__}: {error}")
