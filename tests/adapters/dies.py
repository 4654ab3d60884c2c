"""Adapters that end, or would end, their process when tanh is given an array that is not contiguous.

One question of an op lays its operands out in memory in unusual ways, so exactly one is hit.
"""

import ctypes
import os
import time

import numpy as np
from conformance_backends.numpy_backend import NumpyTape

tanh = NumpyTape.ops["tanh"]


def dying(death):
    """The reference engine's tanh, which dies by `death` of an array that is not in C order."""

    def op(x):
        if not x.value.flags.c_contiguous:
            death()
        return tanh(x)

    return {**NumpyTape.ops, "tanh": op}


def raising(error):
    """A death by exception."""

    def death():
        raise error

    return dying(death)


class Bare(BaseException):
    """An exception that `except Exception` does not catch."""


class Exits(NumpyTape):
    """Ends the process without a word."""

    ops = dying(lambda: os._exit(3))


def exit_where_empty(x):
    """The reference engine's tanh, which ends the process where there is no entry."""
    if not x.value.size:
        os._exit(3)
    return tanh(x)


def exiting_where_empty():
    """All ops, with that tanh."""
    return {**NumpyTape.ops, "tanh": exit_where_empty}


class ExitsWhereEmpty(NumpyTape):
    """Ends the process in every question that asks a case without entries."""

    ops = exiting_where_empty()


class Segfaults(NumpyTape):
    """Reads address 0."""

    ops = dying(lambda: ctypes.string_at(0))


class Hangs(NumpyTape):
    """Never returns, and lets other threads run."""

    ops = dying(lambda: time.sleep(3600))


class HangsInC(NumpyTape):
    """Never returns, and holds the interpreter's lock."""

    ops = dying(lambda: np.zeros(1).__class__ and ctypes.PyDLL(None).pause())


def take_all():
    """Takes memory for ever, as a cycle in a graph does."""
    taken = []
    while True:
        taken.append(np.ones(2**20))


class TakesAllMemory(NumpyTape):
    """Never returns, and fills the machine."""

    ops = dying(take_all)


class RaisesSystemExit(NumpyTape):
    """Calls sys.exit."""

    ops = raising(SystemExit(0))


class RaisesKeyboardInterrupt(NumpyTape):
    """Raises what Ctrl-C raises."""

    ops = raising(KeyboardInterrupt())


class RaisesBare(NumpyTape):
    """Raises an exception of its own, outside the tree of Exception."""

    ops = raising(Bare("outside the tree"))


class ExitsInContracts(NumpyTape):
    """Ends the process when asked to cut a value from its history."""

    def detach(self, array):
        os._exit(3)
