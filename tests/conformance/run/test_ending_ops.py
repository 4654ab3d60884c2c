"""Ops that would end the process, and pullbacks that return one array for several, are the adapter's to correct."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
import pytest
from conformance_backends.numpy_backend import NumpyTape

from conformance.backend import FunctionalBackend
from conformance.errors import AdapterError
from conformance.ops import find
from conformance.run.mapped.findings import to_correct
from conformance.run.mapping import try_mapping


def ends(*_: Any, **__: Any) -> None:
    raise SystemExit(0)


def test_an_op_that_would_end_the_process_is_no_refusal() -> None:
    engine = type("Mine", (NumpyTape,), {"ops": {**NumpyTape.ops, "tanh": ends}})()
    found = try_mapping(engine, find("tanh"), "float64")
    assert not found.refused
    assert to_correct([found]) == [found]


class Stacked(FunctionalBackend):
    """An engine whose pullback returns the gradients of two operands as one array."""

    engine = "stacked"
    ops: ClassVar = {"multiply": np.multiply}

    def version(self) -> str:
        return "1"

    def array(self, value: Any) -> Any:
        return np.array(value)

    def numpy(self, array: Any) -> Any:
        return np.asarray(array)

    def gradient(self, *_: Any, **__: Any) -> Any:
        return None

    def pullback(self, function: Any, arrays: Any) -> Any:
        a, b = arrays
        return function(a, b), lambda g: np.stack([g * b, g * a])


def test_one_array_in_place_of_a_gradient_per_operand_is_refused_with_the_name_of_the_member() -> None:
    trace = Stacked().trace(np.multiply, [np.array([1.0, 2.0]), np.array([3.0, 4.0])])
    with pytest.raises(
        AdapterError, match=r"^the function of Stacked\.pullback\(\) returned ndarray, where a tuple"
    ):
        trace.pull([np.ones(2)])
