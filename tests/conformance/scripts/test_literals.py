"""Numbers as a script writes them."""

from __future__ import annotations

import numpy as np

from conformance.scripts.literals import MANY_ROWS, literal


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
