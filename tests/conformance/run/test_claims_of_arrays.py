"""Slips in how an adapter makes arrays are named by a claim of smoke."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from conformance_backends.numpy_backend import NumpyTape

from .claims_asked import answer_of

LAYOUTS = "any memory layout goes in"


class LeavesInMemoryOrder(NumpyTape):
    """A leaf has its numbers in the order in which they lie in memory."""

    def leaf(self, value: Any) -> Any:
        return super().leaf(np.ravel(value, order="K").reshape(value.shape))


class LeavesOfTheFirstStep(NumpyTape):
    """A leaf is read with the steps of an array without gaps."""

    def leaf(self, value: Any) -> Any:
        packed = np.empty_like(value)
        source = value if value.base is None else value.base
        return super().leaf(packed if source is value else np.resize(source, value.shape))


class ArraysInMemoryOrder(NumpyTape):
    """The same of constants."""

    def array(self, value: Any) -> Any:
        return super().array(np.ravel(value, order="K").reshape(value.shape))


@pytest.mark.parametrize(
    ("adapter", "said"),
    [
        (LeavesInMemoryOrder, "leaf() of shape (2, 3), layout F, came back changed"),
        (LeavesOfTheFirstStep, "leaf() of shape (2, 3), layout"),
        (ArraysInMemoryOrder, "array() of shape (2, 3), layout F, came back changed"),
    ],
)
def test_every_layout_is_given_to_array_and_to_leaf(adapter: Any, said: str) -> None:
    assert said in answer_of(adapter(), LAYOUTS)
    assert answer_of(NumpyTape(), LAYOUTS) == ""
