"""The batched operands are found from the op's row, whatever the values of a case."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from conformance.case import Case
from conformance.checks.e_values.batches import batch_of
from conformance.checks.observation import Oracle
from conformance.checks.registry import NotThisCase
from conformance.ops import find

SQUARE = np.arange(9.0).reshape(3, 3)
ZEROS = np.zeros(3)


def batched_operands(
    name: str, *operands: Any, shape: tuple[int, ...] = (3, 3), **parameters: Any
) -> tuple[int, ...]:
    case = Case(name, operands, parameters, (np.zeros(shape),), ("C",), "float64")
    count, batched = batch_of(Oracle(find(name), case))
    assert count == 3
    return batched


def test_zeros_do_not_change_which_operands_are_batched() -> None:
    assert batched_operands("layer_norm", SQUARE, ZEROS, ZEROS, eps=1e-5) == (0,)
    assert batched_operands("layer_norm", np.zeros((3, 3)), ZEROS, ZEROS, eps=1e-5) == (0,)
    assert batched_operands("multiply", SQUARE, ZEROS) == (0,)
    assert batched_operands("multiply", SQUARE, np.zeros((3, 1))) == (0, 1)
    assert batched_operands("add", SQUARE, ZEROS + 1) == (0,)
    assert batched_operands("matmul", np.zeros((3, 3)), np.zeros((3, 3))) == (0,)


def test_an_op_that_mixes_its_leading_axis_has_no_batch() -> None:
    with pytest.raises(NotThisCase, match="not a batch axis"):
        batched_operands("softmax", np.zeros((3, 3)), axis=0)


def test_places_of_one_vector_are_no_examples_where_a_value_is_sent_to_one_of_them() -> None:
    given = {"axis": -1, "reduce": "amax", "include_self": True, "shape": (3,)}
    with pytest.raises(NotThisCase, match="not a batch axis"):
        batched_operands(
            "scatter_reduce", np.array([-0.375, -0.125, 0.0]), np.array([0]), np.array([0.5]), **given
        )
