"""autograd: np.linspace broadcasts its ends, and the gradient keeps another shape, raises, or mixes up entries."""

import importlib.metadata

import autograd.numpy as np
from autograd import make_jvp, make_vjp

print("autograd", importlib.metadata.version("autograd"))
# The gradient with respect to the stop is the sum of k/4 over the steps k, for each entry that it is broadcast to.
for start, stop in (((3,), (3,)), ((3,), ()), ((3,), (1,)), ((2, 3), (3,)), ((2, 3), (2, 3))):
    pullback, y = make_vjp(lambda stop, start=start: np.linspace(np.zeros(start), stop, 5))(np.ones(stop))
    exact = np.full(stop, 2.5 * np.zeros(start).size / np.ones(stop).size)
    try:
        got = pullback(np.ones(y.shape)).tolist()
    except ValueError as error:
        got = f"ValueError: {error}"
    print(f"start {start}, stop {stop}: got {got}, exact {exact.tolist()}")
tangent = make_jvp(lambda start: np.linspace(start, np.ones((1, 3)), 5))(np.ones(1))(np.ones(1))
print("value of shape", tangent[0].shape, "tangent of shape", tangent[1].shape)
