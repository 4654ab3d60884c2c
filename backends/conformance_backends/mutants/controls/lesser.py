"""Controls that have less than the reference engine, as young engines do: what they lack is no failure."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, ClassVar

import numpy as np

from conformance.backend import Capability
from conformance.errors import Unsupported
from conformance_backends.mutants.b_graph.call_histories import Pullbacks
from conformance_backends.mutants.mutant import SteppedTape

PERCEPTRON = (
    *("add", "subtract", "multiply", "divide", "negative", "pow", "exp", "log", "tanh", "relu", "maximum"),
    *("matmul", "sum", "mean", "reshape"),
)


class OnePrecision(SteppedTape):
    """Has float32 alone."""

    dtypes = ("float32",)


class Halves(SteppedTape):
    """Has float16 alone, as some accelerators do."""

    dtypes = ("float16",)


class Little(SteppedTape):
    """Has what a perceptron needs: some ops, leaves that keep their gradients, and float32."""

    dtypes = ("float32",)
    capabilities = frozenset({Capability.TAPE})
    ops: ClassVar[Mapping[str, Callable[..., Any]]] = {name: SteppedTape.ops[name] for name in PERCEPTRON}


class LittleFunctions(Pullbacks):
    """Has those ops, and pullbacks of functions."""

    dtypes = ("float32",)
    capabilities = frozenset()
    ops: ClassVar[Mapping[str, Callable[..., Any]]] = {name: Pullbacks.ops[name] for name in PERCEPTRON}


class WithEntries(SteppedTape):
    """Has no arrays without entries."""

    def array(self, value: np.ndarray[Any, Any]) -> Any:
        """One with entries."""
        return super().array(_with_entries(value))

    def leaf(self, value: np.ndarray[Any, Any]) -> Any:
        """One with entries."""
        return super().leaf(_with_entries(value))


def _with_entries(value: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    if value.size == 0:
        raise Unsupported("there are no arrays without entries")
    return value


class WithAxes(SteppedTape):
    """Takes no arrays of shape (), so that there is no condition of a branch; a sum of all entries has that shape."""

    capabilities = SteppedTape.capabilities - {Capability.BRANCHES}

    def array(self, value: np.ndarray[Any, Any]) -> Any:
        """One with an axis."""
        return super().array(_with_axes(value))

    def leaf(self, value: np.ndarray[Any, Any]) -> Any:
        """One with an axis."""
        return super().leaf(_with_axes(value))


def _with_axes(value: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    if value.ndim == 0:
        raise Unsupported("there are no arrays of shape ()")
    return value


class ArraysAlone(SteppedTape):
    """Takes NumPy's arrays and nothing like them: no numbers, none of NumPy's scalars, no lists."""

    def array(self, value: np.ndarray[Any, Any]) -> Any:
        """One of an array."""
        return super().array(_an_array(value))

    def leaf(self, value: np.ndarray[Any, Any]) -> Any:
        """One of an array."""
        return super().leaf(_an_array(value))


def _an_array(value: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    if type(value) is not np.ndarray:
        raise TypeError(f"a {type(value).__name__} is no array")
    return value
