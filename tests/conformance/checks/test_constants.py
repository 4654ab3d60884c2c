"""What is claimed of operands that need no gradient, of an engine that marks none."""

from __future__ import annotations

import contextlib
from typing import Any, ClassVar

import numpy as np
import pytest
from conformance_backends.numpy_backend import NumpyTape

from conformance.backend import Trace
from conformance.checks.c_modes import constants
from conformance.checks.c_modes.constants import (
    each_operand_of_every_op_may_be_the_only_one_with_a_gradient as each_alone,
)
from conformance.checks.engine_calls import hold_no_stored_gradient
from conformance.checks.members import members
from conformance.checks.observation import plain
from conformance.checks.registry import NotThisCase
from conformance.checks.sample import Sample
from conformance.errors import Violation

KEPT = ("add", "multiply", "take_along_axis")


class StoresAll(NumpyTape):
    """The reference engine without a flag: every array of real numbers gets a gradient, an integer none."""

    conventions: ClassVar[dict[str, str]] = {**NumpyTape.conventions, "C4": "stored"}
    ops: ClassVar[dict[str, Any]] = {name: NumpyTape.ops[name] for name in KEPT}

    def array(self, value: np.ndarray) -> Any:
        """An array that needs a gradient, if it can have one."""
        return self.leaf(value) if value.dtype.kind in "fc" else super().array(value)


def test_indices_need_no_stored_gradient_of_an_engine_that_stores_all() -> None:
    each_alone(StoresAll(), Sample(0, "float64"))


def test_a_real_operand_needs_one() -> None:
    with pytest.raises(Violation, match="got no gradient; the adapter declares 'stored'"):
        hold_no_stored_gradient(StoresAll(), NumpyTape().array(np.ones(2)), "operand 1")


class NoneForZeros(NumpyTape):
    """The reference engine, whose gradient is None where it is 0: a polynomial of one coefficient has one of its point."""

    ops: ClassVar[dict[str, Any]] = {name: NumpyTape.ops[name] for name in ("polyval",)}

    def trace(self, function: Any, operands: Any, wrt: Any = None) -> Trace:
        """The trace, with None for gradients of zeros."""
        traced = super().trace(function, operands, wrt)

        def pull(cotangents: Any) -> tuple[Any, ...]:
            gradients = traced.pull(cotangents)
            return tuple(g if g is not None and np.any(plain(self, g)) else None for g in gradients)

        return Trace(traced.arrays, traced.outputs, pull)


def test_an_operand_whose_gradient_is_none_says_nothing_about_the_others() -> None:
    asked = 0
    for seed in range(9):  # a third of them have the op
        with contextlib.suppress(NotThisCase):
            each_alone(NoneForZeros(), Sample(seed, "float64"))
            asked += 1
    assert asked


def _or_numpys(name: str) -> Any:
    """The op of an engine that declines NumPy's operands, so that NumPy computes the call."""

    def call(*operands: Any, **parameters: Any) -> Any:
        if np.ndarray in map(type, operands):
            return np.asarray(NumpyTape().ops[name](*map(np.asarray, map(_values, operands)), **parameters))
        return NumpyTape.ops[name](*operands, **parameters)

    return call


def _values(array: Any) -> Any:
    return array if isinstance(array, np.ndarray) else plain(NumpyTape(), array)


class LeavesSomeCallsToNumPy(NumpyTape):
    """An engine whose adapter reads the engine's arrays alone."""

    ops: ClassVar[dict[str, Any]] = {name: _or_numpys(name) for name in (*KEPT, "divide", "subtract")}

    def numpy(self, array: Any) -> np.ndarray:
        """As `array.asnumpy()`."""
        if type(array) is np.ndarray:
            raise AttributeError("'numpy.ndarray' object has no attribute 'asnumpy'")
        return super().numpy(array)

    def trace(self, function: Any, operands: Any, wrt: Any = None) -> Trace:
        """The trace; of what NumPy computed there is one as well."""
        outputs = function(*map(self.array, operands))
        is_left = type(outputs) is np.ndarray
        return (
            Trace((), (outputs,), lambda cotangents: ())
            if is_left
            else super().trace(function, operands, wrt)
        )


def test_a_call_that_is_left_to_numpy_was_not_taken() -> None:
    engine = LeavesSomeCallsToNumPy()
    member = next(m for m in members(engine, Sample(0, "float64")) if m.op.name == "subtract")
    what, given, oracle = next(constants._constants(member, 0))
    assert what == "NumPy arrays"
    constants._hold_alone(engine, member, 0, what, given, oracle)


class AsksLeavesAlone(NumpyTape):
    """An engine that refuses to be asked for the gradient of what is no leaf."""

    def grad(self, leaf: Any) -> Any:
        if not leaf.requires_grad:
            raise RuntimeError("only a leaf has a gradient")
        return super().grad(leaf)


class SaysSo(AsksLeavesAlone):
    """The same, which declares it."""

    conventions: ClassVar = {**NumpyTape.conventions, "B8": "refused"}


def test_a_gradient_of_a_constant_is_refused_where_that_is_declared() -> None:
    hold_no_stored_gradient(SaysSo(), SaysSo().array(np.ones(3)), "a constant")
    with pytest.raises(RuntimeError, match="only a leaf"):
        hold_no_stored_gradient(AsksLeavesAlone(), AsksLeavesAlone().array(np.ones(3)), "a constant")
