"""An adapter that breaks one clause, of the level "should": every other gradient of tanh is an ulp further up."""

import itertools

import numpy as np
from conformance_backends import numpy_engine as engine
from conformance_backends.numpy_backend import NumpyTape

COUNT = itertools.count()


def pullback(g, x):
    gradient = g * (1 - np.tanh(x) ** 2)
    return [np.nextafter(gradient, np.inf) if next(COUNT) % 2 else gradient]


class Restless(NumpyTape):
    ops = {**NumpyTape.ops, "tanh": engine.custom(np.tanh, pullback)}  # noqa: RUF012
