"""Comparisons of an engine's numbers with exact ones."""

from __future__ import annotations

import numpy as np
import pytest

from conformance.checks.comparison import compare, hold_within
from conformance.errors import Violation
from conformance.oracle.allowance import Expected


def expected(exact: float, allowed: float) -> Expected:
    return Expected(np.array([exact], np.longdouble), np.array([allowed], np.longdouble), np.array([32.0]))


def test_a_number_that_rounding_may_carry_beyond_the_largest_may_be_an_infinity() -> None:
    got = np.array([-np.inf], np.float16)  # whose largest number is 65504
    assert compare(got, expected(-65486.9, 100.0), "it").error == 0


@pytest.mark.parametrize(
    ("got", "exact", "allowed"),
    [(-np.inf, -65000.0, 100.0), (np.inf, -65486.9, 100.0), (np.nan, -65486.9, 100.0), (np.inf, 0.0, 1e5)],
)
def test_other_numbers_may_not(got: float, exact: float, allowed: float) -> None:
    with pytest.raises(Violation, match="differs"):
        hold_within(np.array([got], np.float16), expected(exact, allowed), "it")


@pytest.mark.parametrize(
    ("got", "shape", "says"),
    [
        ([[2.0]], (1, 1), r"^it has shape \(1, 1\), expected \(1,\)$"),
        ([[3.0]], (1, 1), r"^it has shape \(1, 1\), expected \(1,\), and its entries are wrong as well$"),
        ([2.0, 3.0], (2,), r"^it has shape \(2,\), expected \(1,\)$"),
    ],
)
def test_a_wrong_shape_does_not_cover_wrong_entries(got: object, shape: tuple[int, ...], says: str) -> None:
    """Where the shapes differ in axes of one entry, the entries are compared too: a known shape must not hide them."""
    with pytest.raises(Violation, match=says):
        hold_within(np.array(got).reshape(shape), expected(2.0, 1e-9), "it")
