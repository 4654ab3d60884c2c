"""An observation says what is wrong with an answer before anything is claimed of it."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from conformance_backends.numpy_backend import NumpyTape

from conformance.case import Case
from conformance.checks.observation import Observation, Oracle, hold_gradient, plain
from conformance.errors import AdapterError, Violation
from conformance.ops import ALL_OPS

from ..timing.engines import Right


def observed(function: Any) -> Observation:
    """Axes (1, 0) inserted into a vector, by another function."""
    engine = NumpyTape()
    engine.ops = {**engine.ops, "expand_dims": function}  # type: ignore[misc]  # of this object alone
    case = Case(
        "expand_dims", (np.arange(3.0),), {"axis": (1, 0)}, (np.ones((1, 1, 3)),), ("C", "C"), "float64"
    )
    return Observation(engine, Oracle(ALL_OPS["expand_dims"], case))


def test_a_refused_cotangent_is_reported_as_a_value_of_another_shape() -> None:
    in_turn = observed(lambda x, axis: np.expand_dims(np.expand_dims(x, axis[0]), axis[1]))
    with pytest.raises(Violation, match=r"the value has shape \(1, 3, 1\), expected \(1, 1, 3\)") as caught:
        in_turn.vjp()
    assert "conformance smoke ADAPTER -q expand_dims" in str(caught.value)


def test_what_an_engine_raises_of_a_right_value_is_its_own() -> None:
    with pytest.raises(ZeroDivisionError):
        observed(lambda x, axis: 1 // 0).vjp()


def test_a_gradient_of_the_value_s_shape_is_reported_as_a_value_of_another_shape() -> None:
    """NumPy's `ravel` of an array without axes has one axis; an engine's keeps none, and casts the cotangent back to one."""

    class KeepsNone(NumpyTape):
        def vjp(self, function: Any, operands: Any, cotangents: Any, wrt: Any = None) -> Any:
            outputs, gradients = super().vjp(lambda x: x, operands, [g.reshape(()) for g in cotangents], wrt)
            return outputs, tuple(np.reshape(g, (1,)) for g in gradients)

    engine = KeepsNone()
    engine.ops = {**engine.ops, "ravel": lambda x: x}  # type: ignore[misc]  # of this object alone
    case = Case("ravel", (np.array(2.0),), {}, (np.ones(1),), ("C", "C"), "float64")
    with pytest.raises(Violation, match=r"the value has shape \(\), expected \(1,\)") as caught:
        Observation(engine, Oracle(ALL_OPS["ravel"], case)).vjp()
    assert str(caught.value).endswith("and the gradient of operand 0 has shape (1,), its operand ()")


@pytest.mark.parametrize(
    ("outputs", "returned"),
    [((), "an empty tuple"), ((1, 1), "a tuple of 2"), ((1, None, 1), "a tuple of 3")],
)
def test_an_op_that_returns_several_arrays_for_one_is_the_adapters_slip(outputs: Any, returned: str) -> None:
    def function(x: Any, axis: Any) -> Any:
        return tuple(np.expand_dims(x, axis) if part else None for part in outputs)

    said = f"^expand_dims returned {returned}, where one array is expected$"
    for ask in (Observation.vjp, Observation.forward):
        with pytest.raises(AdapterError, match=said):
            ask(observed(function))


def test_an_op_that_returns_one_array_for_several_is_the_adapters_slip() -> None:
    engine = NumpyTape()
    engine.ops = {**engine.ops, "unstack": lambda x, axis: x}  # type: ignore[misc]  # of this object alone
    case = Case("unstack", (np.ones((2, 3)),), {"axis": 0}, (np.ones(3), np.ones(3)), ("C",) * 3, "float64")
    with pytest.raises(
        AdapterError, match=r"^unstack returned one array, where a tuple of 2 arrays is expected$"
    ):
        Observation(engine, Oracle(ALL_OPS["unstack"], case)).vjp()


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (ZeroDivisionError, r"^Reads\.numpy\(\) raised ZeroDivisionError: odd at test_observation\.py:\d+$"),
        (MemoryError, r"^Reads\.numpy\(\) raised MemoryError: odd at test_observation\.py:\d+$"),
        (AttributeError, r"was given a Python or NumPy value \(ndarray of float64\).*: odd$"),
        (TypeError, r"was given a Python or NumPy value \(ndarray of float64\).*: odd$"),
    ],
)
def test_what_numpy_raises_is_blamed_on_the_value_only_where_it_may_be_about_its_class(
    error: type[Exception], said: str
) -> None:
    class Reads(NumpyTape):
        def numpy(self, array: Any) -> Any:
            raise error("odd")

    with pytest.raises(AdapterError, match=said):
        plain(Reads(), np.ones(3))


def test_a_gradient_that_does_not_arrive_is_named_also_where_it_would_be_zero() -> None:
    hold_gradient(NumpyTape(), np.array([2.0]), np.array([2.0]), "the gradient of x")
    for expected in (np.array([2.0]), np.array([0.0])):
        with pytest.raises(Violation, match="the gradient of x: dropped, the engine gave None"):
            hold_gradient(NumpyTape(), None, expected, "the gradient of x")


def test_an_op_that_returns_a_list_is_said_to() -> None:
    with pytest.raises(AdapterError, match="expand_dims returned a list of 3, where one array is expected"):
        observed(lambda x, axis: [x, x, x]).vjp()


@pytest.mark.parametrize(("returned", "what"), [("gradient", "str"), ({"x": 1}, "dict")])
def test_a_pullback_that_returns_no_tuple_is_said_to(returned: object, what: str) -> None:
    class Spells(Right):
        def pullback(self, function: Any, arrays: Any) -> Any:
            output, _ = super().pullback(function, arrays)
            return output, lambda g: returned

    case = Case("tanh", (np.arange(3.0),), {}, (np.ones(3),), ("C",), "float64")
    seen = Observation(Spells(), Oracle(ALL_OPS["tanh"], case))
    with pytest.raises(
        AdapterError, match=rf"function of Spells\.pullback\(\) returned {what}, where a tuple"
    ):
        seen.vjp()
