"""autograd: some ops broadcast, and the gradient keeps the shape of the result."""

import importlib.metadata

import autograd.numpy as np
from autograd import make_vjp

print("autograd", importlib.metadata.version("autograd"))
for name, function, x in (
    ("broadcast_to", lambda x: np.broadcast_to(x, (2, 0)), np.ones((2, 1))),
    ("where", lambda x: np.where(np.array([True, False, True]), x, 0.0), np.array(1.0)),
    ("cross", lambda x: np.cross(x, np.ones((2, 3))), np.arange(3.0)),
    ("linalg.solve", lambda b: np.linalg.solve(np.stack([np.eye(3), np.eye(3)]), b), np.ones((3, 2))),
):
    pullback, y = make_vjp(function)(x)
    print(f"{name}: an operand of shape {x.shape} has a gradient of shape {pullback(np.ones(y.shape)).shape}")
