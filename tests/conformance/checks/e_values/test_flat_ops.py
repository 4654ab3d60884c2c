"""Each convention for the gradient of a flat op can be declared, and is distinguished from the others."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

import numpy as np
import pytest
from conformance_backends.mutants.controls.conventions import FewAxes
from conformance_backends.mutants.e_values.flat_ops import RecordsFlatOps, recorded
from conformance_backends.numpy_backend import NumpyTape

from conformance.atlas import conventions
from conformance.case import Case
from conformance.checks import load_all
from conformance.checks.e_values.flat_ops import flat_op_sends_nothing_back
from conformance.checks.observation import Observation, Oracle
from conformance.clauses import STANDARD
from conformance.errors import Violation
from conformance.ops import ALL_OPS, CATALOGUE, FLAT
from conformance.ops.flat import ROUNDING
from conformance.strategies import Effort, draw_cases

CONVENTIONS = STANDARD["E19"].conventions
EFFORT = Effort(signatures=6, draws=1, samples=1, programs=1)
ROUNDED = tuple(op.name for op in ROUNDING)


def barred(right: Callable[..., Any]) -> Callable[..., Any]:
    """An op that refuses operands which need a gradient."""

    def call(*operands: Any, **parameters: Any) -> Any:
        if any(getattr(operand, "requires_grad", False) for operand in operands):
            raise ValueError("this op has no gradient")
        return right(*operands, **parameters)

    return call


class Dropping(RecordsFlatOps):
    """Flat ops are recorded, and their rule returns None."""

    conventions: ClassVar = {**NumpyTape.conventions, "E19": "none"}
    ops: ClassVar = {**NumpyTape.ops, **{op: recorded(op, lambda *_, **__: None) for op in ROUNDED}}


class Barring(NumpyTape):
    """Rounding and signs accept constants only."""

    conventions: ClassVar = {**NumpyTape.conventions, "E19": "barred"}
    ops: ClassVar = {**NumpyTape.ops, **{op: barred(NumpyTape.ops[op]) for op in ROUNDED}}


ENGINES = {engine.conventions["E19"]: engine for engine in (NumpyTape, RecordsFlatOps, Dropping, Barring)}


def test_there_is_an_engine_for_every_alternative() -> None:
    assert set(ENGINES) == set(STANDARD["E19"].conventions)


@pytest.mark.parametrize("choice", ENGINES)
@pytest.mark.parametrize("op", FLAT.values(), ids=FLAT.keys())
def test_an_engine_that_follows_its_declared_convention_passes(choice: str, op: Any) -> None:
    cases = draw_cases(op, "float64", 0, EFFORT)
    assert cases
    for case in cases:
        flat_op_sends_nothing_back(Observation(ENGINES[choice](), Oracle(op, case)))


@pytest.mark.parametrize("choice", ENGINES)
@pytest.mark.parametrize("declared", STANDARD["E19"].conventions)
def test_an_engine_that_declares_another_convention_fails(choice: str, declared: str) -> None:
    engine = ENGINES[choice]()
    engine.conventions = {**engine.conventions, "E19": declared}
    seen = Observation(engine, Oracle(FLAT["floor"], draw_cases(FLAT["floor"], "float64", 0, EFFORT)[0]))
    if declared == choice:
        flat_op_sends_nothing_back(seen)
        return
    with pytest.raises(Violation, match=f'floor is {choice}.*for this op alone: "E19/floor"'):
        flat_op_sends_nothing_back(seen)


@pytest.mark.parametrize("choice", ENGINES)
def test_an_undeclared_convention_is_measured(choice: str) -> None:
    engine = ENGINES[choice]()
    engine.conventions = {number: name for number, name in engine.conventions.items() if number != "E19"}
    (found,) = conventions.measure_conventions(engine, [STANDARD["E19"]])
    assert found.found == (choice,)


def test_flat_ops_have_their_checks_alone() -> None:
    checks, own = (
        load_all(),
        {"op/flat", "op/flat-complex", "op/flat-layout", "op/flat-narrow", "op/mapped-flat"},
    )
    assert {c.key for c in checks.values() for op in FLAT.values() if c.asks_about(op)} == own
    assert not any(checks[key].asks_about(op) for key in own for op in CATALOGUE.values())
    assert set(ALL_OPS) == set(FLAT) | set(CATALOGUE)


class OfSeveralMinds(RecordsFlatOps):
    """Signs are refused where other rounding gives zeros, and positions give zeros where other constants are refused."""

    conventions: ClassVar = {**RecordsFlatOps.conventions, "E19/floor": "refused"}
    ops: ClassVar = {**RecordsFlatOps.ops, "sign": NumpyTape.ops["sign"], "floor": NumpyTape.ops["floor"]}


def test_an_op_that_differs_from_most_is_measured_with_what_to_declare() -> None:
    (found,) = conventions.measure_conventions(OfSeveralMinds(), [STANDARD["E19"]])
    assert found.entries == {"E19": "zeros", "E19/sign": "refused", "E19/floor": "refused"}
    with pytest.raises(Violation, match='for this op alone: "E19/sign"'):
        flat_op_sends_nothing_back(
            Observation(
                OfSeveralMinds(), Oracle(FLAT["sign"], draw_cases(FLAT["sign"], "float64", 0, EFFORT)[0])
            )
        )


@pytest.mark.parametrize("name", ["any", "count_nonzero", "argmax"])
def test_an_engine_of_few_axes_is_not_asked_for_more_than_its_operand_has(name: str) -> None:
    x = np.arange(1.0, 25.0).reshape(2, 1, 2, 3, 1, 2)
    case = Case(
        name, (x,), {"axis": -2, "keepdims": False}, (np.ones((2, 1, 2, 3, 2)),), ("C", "C"), "float64"
    )
    flat_op_sends_nothing_back(Observation(FewAxes(), Oracle(FLAT[name], case)))


def compared_and_selected(right: Any, i: int, g: Any, z: Any, *xs: Any) -> Any:
    """Nothing for the operand that is compared, zeros for the one that is selected."""
    return right(i, g, z, *xs) if i else None


class ByOperand(RecordsFlatOps):
    """An operand of heaviside has no gradient, the other zeros."""

    ops: ClassVar = {**RecordsFlatOps.ops, "heaviside": recorded("heaviside", compared_and_selected)}


@pytest.mark.parametrize("declared", ["none", "zeros"])
def test_the_operands_of_an_op_may_have_no_gradient_in_two_ways(declared: str) -> None:
    engine = ByOperand()
    engine.conventions = {**engine.conventions, "E19/heaviside": declared}
    (case, *_) = draw_cases(FLAT["heaviside"], "float64", 0, EFFORT)
    flat_op_sends_nothing_back(Observation(engine, Oracle(FLAT["heaviside"], case)))


def test_where_the_op_has_no_convention_of_its_own_they_may_not() -> None:
    engine = ByOperand()
    engine.conventions = {**engine.conventions, "E19": "zeros"}
    (case, *_) = draw_cases(FLAT["heaviside"], "float64", 0, EFFORT)
    with pytest.raises(Violation, match="none and zeros"):
        flat_op_sends_nothing_back(Observation(engine, Oracle(FLAT["heaviside"], case)))
