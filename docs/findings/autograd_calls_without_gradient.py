"""autograd: calls that have a value, and whose gradient is not there or raises."""

import importlib.metadata

import autograd.numpy as np
from autograd import make_vjp

print("autograd", importlib.metadata.version("autograd"))
matrix, stack = np.arange(6.0).reshape(2, 3), np.ones((2, 3, 3))
for name, function, x in (
    ("broadcast_to(x, (2, 3)) of (3,)", lambda x: np.broadcast_to(x, (2, 3)), np.ones(3)),
    ("concatenate((x, x), axis=None)", lambda x: np.concatenate((x, x), axis=None), matrix),
    ("diagonal(x)", np.diagonal, matrix),
    ("einsum('ii->i', x)", lambda x: np.einsum("ii->i", x), np.eye(3)),
    ("linalg.norm(x, 1, axis=0)", lambda x: np.linalg.norm(x, 1, axis=0), matrix),
    ("linalg.norm(x, 2, axis=(0, 1))", lambda x: np.linalg.norm(x, 2, axis=(0, 1)), matrix),
    ("real(fft.rfft(x)) of (3,)", lambda x: np.real(np.fft.rfft(x)), np.ones(3)),
    ("repeat(x, 2), x a number", lambda x: np.repeat(x, 2), np.array(3.0)),
    ("repeat(x, [1, 2], axis=0)", lambda x: np.repeat(x, [1, 2], axis=0), matrix),
    ("roll(x, (1, 2), (0, 1))", lambda x: np.roll(x, (1, 2), (0, 1)), matrix),
    ("sort(x) of (2, 3)", np.sort, matrix),
    ("trace(x, 0, -2, -1)", lambda x: np.trace(x, 0, -2, -1), stack),
):
    value = function(x)
    try:
        make_vjp(function)(x)[0](np.ones(np.shape(value)))
        print(name, "has a gradient")
    except (AssertionError, NotImplementedError, TypeError, ValueError) as error:
        print(f"{name}: value of shape {np.shape(value)}; gradient {type(error).__name__}: {error}")
