"""Which operands carry a batch is found from the op's row, whatever numbers a case holds."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from conformance.case import Case
from conformance.checks.e_values.batches import _batch_of
from conformance.checks.observation import Oracle
from conformance.checks.registry import NotThisCase
from conformance.ops import find

SQUARE = np.arange(9.0).reshape(3, 3)
ZEROS = np.zeros(3)


def carriers(
    name: str, *operands: Any, shape: tuple[int, ...] = (3, 3), **parameters: Any
) -> tuple[int, ...]:
    case = Case(name, operands, parameters, (np.zeros(shape),), ("C",), "float64")
    count, carriers = _batch_of(Oracle(find(name), case))  # type: ignore[arg-type]
    assert count == 3
    return carriers


def test_zeros_are_cut_no_further_than_numbers() -> None:
    assert carriers("layer_norm", SQUARE, ZEROS, ZEROS, eps=1e-5) == (0,)
    assert carriers("layer_norm", np.zeros((3, 3)), ZEROS, ZEROS, eps=1e-5) == (0,)
    assert carriers("multiply", SQUARE, ZEROS) == (0,)
    assert carriers("multiply", SQUARE, np.zeros((3, 1))) == (0, 1)
    assert carriers("matmul", np.zeros((3, 3)), np.zeros((3, 3))) == (0,)


def test_what_mixes_its_leading_axis_has_no_batch() -> None:
    with pytest.raises(NotThisCase, match="not one of examples"):
        carriers("softmax", np.zeros((3, 3)), axis=0)
