"""What is allowed follows from the rule, and so does what the oracle does not know of itself."""

from __future__ import annotations

import numpy as np
import pytest

from conformance.case import Case
from conformance.ops import CATALOGUE, find
from conformance.oracle.allowance import expected_gradients, own_doubts
from conformance.strategies import Effort, draw_cases

WITH_A_ZERO = np.array([[3.375, 0.875, 0.0], [1.0, 3.375, 0.625], [-0.25, -0.25, 3.25]])


@pytest.mark.parametrize("name", ["tanh", "matmul", "softmax", "det", "cumulative_prod", "sort"])
def test_the_oracle_knows_its_answer_far_better_than_an_engine_must(name: str) -> None:
    op = find(name)
    for case in draw_cases(op, "float64", 0, Effort(3, 2, 1, 1)):
        for expected, doubt in zip(expected_gradients(op, case), own_doubts(op, case), strict=True):
            assert doubt.shape == expected.exact.shape
            assert (doubt <= expected.allowed / 100).all()


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("name", sorted(set(CATALOGUE) - {"imag"}))  # of real numbers imag is zero
def test_every_op_has_a_gradient_that_is_held_to_its_last_digits(name: str, dtype: str) -> None:
    op = find(name)
    allowed = [
        float((expected.allowed[shown] / np.abs(expected.exact[shown])).min())
        for case in draw_cases(op, dtype, 0, Effort(4, 3, 1, 1))
        for expected in expected_gradients(op, case)
        if (shown := expected.exact != 0).any()
    ]
    assert min(allowed) < 100 * np.finfo(dtype).eps


def test_a_zero_that_rounds_to_the_smallest_number_makes_the_oracle_unsure_of_nothing() -> None:
    case = Case("det", (WITH_A_ZERO,), {}, (np.array(0.5),), ("C", "C"), "float64")
    (doubt,) = own_doubts(find("det"), case)
    assert (doubt < 1e-15).all()
