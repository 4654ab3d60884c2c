"""Numbers as a script writes them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from conformance.scripts.literals import MANY_ROWS, is_same, literal


def test_many_equal_rows_are_written_once() -> None:
    rows = np.repeat([[1.0, -2.0]], 4096, axis=0)
    assert literal(rows) == "[[1.0, -2.0]] * 4096"
    assert eval(literal(rows)) == rows.tolist()


def test_few_rows_and_rows_that_differ_in_a_sign_are_written_out() -> None:
    few = np.ones((MANY_ROWS - 1, 1))
    assert literal(few) == repr(few.tolist())
    signs = np.zeros(MANY_ROWS)
    signs[-1] = -0.0
    assert literal(signs).endswith("-0.0]")


@pytest.mark.parametrize(
    ("left", "right", "is_equal"),
    [
        (np.array([1.0, np.nan]), np.array([1.0, np.nan]), True),
        (np.array([1.0, 2.0]), np.array([1.0, 3.0]), False),
        (np.zeros(2), np.zeros((2, 1)), False),
        (np.array([True]), np.array([True]), True),
        (np.zeros(2, "V1"), np.zeros(2, "V1"), True),  # such as JAX's float0, which no ufunc takes
        (np.zeros(2), np.zeros(2, "V1"), False),
    ],
)
def test_arrays_of_any_type_are_compared(left: Any, right: Any, *, is_equal: bool) -> None:
    assert is_same(left, right) is is_equal
