"""Thousands of equal examples are asked of calls whose leading axis is one of examples, whatever their number."""

from __future__ import annotations

import numpy as np
import pytest
from conformance_backends.numpy_backend import NumpyTape

from conformance.case import Case
from conformance.checks.e_values.batches import are_batched
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
    for count, is_by_accident in ((2, True), (7, False)):
        operands = (ONES, ONES, np.ones((count, 2, 3), BFLOAT16))
        rows = tuple(np.repeat(x[:1], count, axis=0) if x.ndim == 2 else x for x in operands)
        g = np.ones((count, 2, 3), BFLOAT16)
        call = Case("addcmul", rows, {"value": 0.0}, (g,), ("C",), BFLOAT16.name)
        assert are_batched(Oracle(find("addcmul"), call), rows, g, (0, 1, 2)) is is_by_accident


def test_elementwise_ops_share_what_has_fewer_axes() -> None:
    asked("addcmul", ONES, ONES, np.ones((2, 2, 3), BFLOAT16), shape=(2, 2, 3), value=0.5)


def test_examples_that_share_nothing_are_not_asked() -> None:
    with pytest.raises(NotThisCase, match="share no operand"):
        asked("multiply", ONES, ONES)
