"""autograd: the gradient of a matrix norm with keepdims, or along axes counted from the back, raises or has another shape."""

import functools
import importlib.metadata

import autograd
import autograd.numpy as np

print("autograd", importlib.metadata.version("autograd"))


def norm(x, axis, keepdims):
    """The sum of the Frobenius norms."""
    return np.sum(np.linalg.norm(x, ord="fro", axis=axis, keepdims=keepdims))


for shape, axis, keepdims in (
    ((2, 2), (0, 1), False),
    ((2, 2), (0, 1), True),
    ((2, 2), (-2, -1), False),
    ((2, 3, 2), (-2, -1), False),
):
    x = np.arange(1.0, 1 + np.prod(shape)).reshape(shape)
    call = f"of shape {shape}, axis={axis}, keepdims={keepdims}:"
    try:
        gradient = autograd.grad(functools.partial(norm, axis=axis, keepdims=keepdims))(x)
        print(call, "gradient of shape", gradient.shape)
    except Exception as error:
        print(call, type(error).__name__, error)
