"""autograd: NaN where the gradient is finite: rules divide by what is 0."""

import importlib.metadata

import autograd.numpy as np
from autograd import make_vjp

print("autograd", importlib.metadata.version("autograd"))
np.seterr(all="ignore")
for name, function, x, expected in (
    ("sinc at 0", np.sinc, np.array([0.0]), [0.0]),
    ("prod with a zero", np.prod, np.array([0.0, 2.0, 3.0]), [6.0, 0.0, 0.0]),
    ("hypot(x, 0) at 0", lambda x: np.hypot(x, np.zeros(1)), np.array([0.0]), "between -1 and 1"),
):
    pullback, y = make_vjp(function)(x)
    print(f"{name}: got {pullback(np.ones(y.shape)).tolist()}, expected {expected}")
