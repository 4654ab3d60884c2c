"""Checks and clauses refer to each other, and errors are compared with the allowed error."""

from __future__ import annotations

import numpy as np
import pytest

from conformance.checks import load_all
from conformance.checks.comparison import hold_equal, hold_within
from conformance.clauses import STANDARD
from conformance.design.rows import Row
from conformance.errors import Violation
from conformance.op import Signature
from conformance.ops import find
from conformance.oracle.allowance import Expected, expected_gradients
from conformance.strategies import Effort, draw_cases
from conformance.strategies.cases import build

CHECKS = load_all()


ROUNDED_TO_ZERO = 1e-12  # what is smaller is rounding errors of a gradient that is 0


@pytest.mark.parametrize("check", CHECKS.values(), ids=lambda c: c.key)
def test_a_check_has_a_claim_and_a_clause(check: object) -> None:
    assert check.claim
    assert check.claim[0] == check.claim[0].upper() or not check.claim[0].isalpha() or check.kind == "example"
    assert check.clause in STANDARD or check.kind == "capability"


def test_every_clause_has_a_check() -> None:
    assert set(STANDARD) - {check.clause for check in CHECKS.values()} == set()


def expected_of(name: str, dtype: str) -> list[tuple[Expected, ...]]:
    cases = draw_cases(find(name), dtype, 0, Effort(4, 2, 1, 1))
    return [tuple(expected_gradients(find(name), case)) for case in cases]


@pytest.mark.parametrize("name", ["tanh", "multiply", "matmul", "softmax", "sum"])
@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_two_units_in_the_last_place_pass_and_a_visible_error_does_not(name: str, dtype: str) -> None:
    off = 1e-10 if dtype == "float64" else 1e-3
    failed = 0
    for gradients in expected_of(name, dtype):
        for expected in gradients:
            exact = expected.exact.astype(dtype)
            hold_within(exact + 2 * np.spacing(np.abs(exact)), expected, "near")
            largest = np.abs(exact).max(initial=0.0)
            if largest > ROUNDED_TO_ZERO:
                failed += 1
                with pytest.raises(Violation, match="far differs from the reference VJP") as raised:
                    hold_within(exact + (off * 10 * largest).astype(dtype), expected, "far")
                assert raised.value.error > 1
    assert failed


def test_the_allowance_does_not_grow_with_the_size_of_an_array() -> None:
    def largest(size: int) -> float:
        case = build(
            find("multiply"), Row(Signature(((size,), (size,)))), "float64",
            texture="full", upstream="signed", layouts=("C",), seed=3,
        )  # fmt: skip
        return max(float(e.allowed.max()) for e in expected_gradients(find("multiply"), case))

    assert largest(10_000) < 4 * largest(10)


@pytest.mark.parametrize(
    ("got", "passes"),
    [(np.nan, False), (np.inf, False), (1.0, True), (1.1, False)],
)
def test_nan_is_not_within_the_allowed_error_of_a_number(got: float, *, passes: bool) -> None:
    expected = Expected(*(np.full((1,), x, np.longdouble) for x in (1.0, 1e-3, 1e-16)))
    if passes:
        hold_within(np.array([got]), expected, "x")
    else:
        with pytest.raises(Violation):
            hold_within(np.array([got]), expected, "x")


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
def test_an_expected_special_value_equals_itself(value: float) -> None:
    expected = Expected(*(np.full((1,), x, np.longdouble) for x in (value, np.nan, np.nan)))
    hold_within(np.array([value]), expected, "x")


def test_none_stands_for_zeros() -> None:
    allowed = np.full((2,), 1e-9, np.longdouble)
    hold_within(None, Expected(np.zeros(2, np.longdouble), allowed, allowed), "x")
    with pytest.raises(Violation, match="was dropped: the engine gave None"):
        hold_within(None, Expected(np.ones(2, np.longdouble), allowed, allowed), "x")


def test_the_message_of_a_wrong_shape_names_both_shapes() -> None:
    one = np.ones(3, np.longdouble)
    with pytest.raises(Violation, match=r"shape \(1,\), expected \(3,\)"):
        hold_within(np.ones(1), Expected(one, one, one), "x")
    with pytest.raises(Violation, match=r"shape \(1,\), expected \(3,\)"):
        hold_equal(np.ones(1), np.ones(3), "x")
