"""Adapters whose tanh is wrong, and whose process ends, or would end, at a case smaller than the first."""

import os
import time

from conformance_backends.numpy_backend import NumpyTape

tanh = NumpyTape.ops["tanh"]


def dying(death):
    """The reference engine's tanh twice over, which dies by `death` of fewer entries than it was given first."""
    first = []

    def op(x):
        first.append(x.value.size)
        if x.value.size < first[0]:
            death()
        return tanh(x) + tanh(x)

    return {**NumpyTape.ops, "tanh": op}


class Exits(NumpyTape):
    """Ends the process without a word."""

    ops = dying(lambda: os._exit(3))


class Hangs(NumpyTape):
    """Never returns."""

    ops = dying(lambda: time.sleep(3600))
