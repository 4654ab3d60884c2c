"""Thousands of equal examples are asked of calls whose leading axis is one of examples, whatever their number."""

from __future__ import annotations

import numpy as np
import pytest
from conformance_backends.numpy_backend import NumpyTape

from conformance.case import Case
from conformance.checks.e_values.long_batches import gradient_of_what_a_long_batch_shares_is_the_sum
from conformance.checks.observation import Observation, Oracle
from conformance.checks.registry import NotThisCase
from conformance.dtype import BFLOAT16
from conformance.ops import find

ONES = np.ones((2, 3), BFLOAT16)


def asked(name: str, *operands: np.ndarray, shape: tuple[int, ...] = (2, 3), **parameters: float) -> None:
    case = Case(name, operands, parameters, (np.ones(shape, BFLOAT16),), ("C",), BFLOAT16.name)
    gradient_of_what_a_long_batch_shares_is_the_sum(Observation(NumpyTape(), Oracle(find(name), case)))


def test_what_is_shared_is_summed() -> None:
    asked("multiply", ONES, ONES[0])


def test_two_rows_that_stand_for_another_axis_are_no_examples() -> None:
    with pytest.raises(NotThisCase, match="not a batch axis"):
        asked("addcmul", ONES, ONES, np.ones((2, 2, 3), BFLOAT16), shape=(2, 2, 3), value=0.0)


def test_examples_that_share_nothing_are_not_asked() -> None:
    with pytest.raises(NotThisCase, match="share no operand"):
        asked("multiply", ONES, ONES)
