"""At every magnitude exactly the representable gradients are checked."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from conformance_backends.mutants.mutant import altered_rule, with_ops
from conformance_backends.numpy_backend import NumpyTape

from conformance.case import Case
from conformance.checks import load_all
from conformance.checks.e_values.magnitudes import (
    gradient_equals_reference_vjp_at_every_magnitude,
)
from conformance.checks.observation import Observation, Oracle
from conformance.checks.registry import NotThisCase
from conformance.errors import Violation
from conformance.ops import CATALOGUE, find
from conformance.strategies import Effort, draw_cases
from conformance.values import MAGNITUDES, TEXTURES

EFFORT = Effort(signatures=12, draws=1, samples=1, programs=1)


@pytest.fixture(autouse=True)
def _special_values_are_the_engines_business() -> Iterator[None]:
    with np.errstate(all="ignore"):
        yield


def checked(op: str, x: list[Any], altered: Any = None, dtype: str = "float64") -> Any:
    operand = np.array(x, dtype)
    case = Case(op, (operand,), {}, (np.full_like(operand, 2),), ("C", "C"), dtype)
    backend = with_ops({op: altered_rule(op, altered)}) if altered else NumpyTape()
    return gradient_equals_reference_vjp_at_every_magnitude(Observation(backend, Oracle(find(op), case)))


def test_its_cases_belong_to_this_check_alone() -> None:
    checks = load_all()
    assert checks["op/magnitudes"].textures == MAGNITUDES
    assert checks["op/vjp"].textures == TEXTURES
    near, far = (
        draw_cases(find("sin"), "float64", 0, EFFORT, textures) for textures in (TEXTURES, MAGNITUDES)
    )
    assert [x.operands[0].shape for x in near] == [x.operands[0].shape for x in far]
    assert max(np.abs(x.operands[0]).max(initial=0) for x in near) < 20
    assert max(np.abs(x.operands[0]).max(initial=0) for x in far) > 1e6


# What rounding leaves of a gradient here is no more than the rounding: gates that saturate, multiplied.
DROWNED = {("lstm_cell", "bfloat16")}


@pytest.mark.costly
@pytest.mark.parametrize("name", CATALOGUE)
def test_every_op_has_a_case_that_decides(name: str) -> None:
    for dtype in ("float64", "float32", "float16", "bfloat16"):
        if (name, dtype) in DROWNED:
            continue
        decided = 0
        for case in draw_cases(find(name), dtype, 0, EFFORT, MAGNITUDES):
            try:
                gradient_equals_reference_vjp_at_every_magnitude(
                    Observation(NumpyTape(), Oracle(find(name), case))
                )
            except NotThisCase:
                continue
            decided += 1
        assert decided


def test_a_gradient_that_overflows_the_dtype_is_undecided() -> None:
    with pytest.raises(NotThisCase, match="overflows float64"):
        checked("exp", [800.0])
    checked("exp", [800.0, 1.0], lambda right, i, g, z, x: np.where(x > 709, -7.0, right(i, g, z, x)))


def test_operands_without_entries_decide_nothing() -> None:
    with pytest.raises(NotThisCase, match="have no entries"):
        checked("exp", [])


def test_a_gradient_below_the_normal_numbers_may_be_zero() -> None:
    checked("reciprocal", [1e160, 2.0], lambda right, i, g, z, x: np.where(x > 2, 0, right(i, g, z, x)))


def test_a_case_in_which_no_usual_error_would_show_decides_nothing() -> None:
    with pytest.raises(NotThisCase, match="would show"):
        checked("reciprocal", [1e160])
    case = Case("exp", (np.ones(2),), {}, (np.ones(2),), ("C", "C"), "float64")
    with pytest.raises(NotThisCase, match="would show"):
        gradient_equals_reference_vjp_at_every_magnitude(Observation(NumpyTape(), Oracle(find("exp"), case)))


@pytest.mark.parametrize("wrong", [np.nan, np.inf, 0.0, 1.001e200])
def test_a_gradient_lost_by_overflow_of_a_square_is_a_failure(wrong: float) -> None:
    with pytest.raises(Violation, match="differs from the reference VJP"):
        checked("log", [1.0, 1e-200], lambda right, i, g, z, x: np.where(x < 1, wrong, right(i, g, z, x)))


def test_where_entries_share_their_rounding_an_overflowing_value_decides_nothing() -> None:
    operand, whole = np.array([1e200, 1e200]), {"axis": None, "keepdims": False}
    case = Case("prod", (operand,), whole, (np.array(1.0),), ("C", "C"), "float64")
    with pytest.raises(NotThisCase, match="the value overflows"):
        gradient_equals_reference_vjp_at_every_magnitude(Observation(NumpyTape(), Oracle(find("prod"), case)))


def test_a_larger_entry_does_not_widen_the_allowance_of_another() -> None:
    for operands in ([1.0], [1.0, 1e300]):
        with pytest.raises(Violation, match="differs from the reference VJP"):
            checked(
                "square", operands, lambda right, i, g, z, x: right(i, g, z, x) + np.where(x < 2, 1e-14, 0)
            )
