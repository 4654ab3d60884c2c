"""Mutants that record a write of a constant wrongly, by some indices."""

from __future__ import annotations

from typing import Any

import numpy as np

from conformance_backends.mutants.mutant import Mutant, behaviour
from conformance_backends.numpy_engine.tensor import Tensor, detach, edge_of


def overwritten_by_a_list_keeps_its_history(self: Any, array: Tensor, index: Any, value: Any) -> None:
    """What a constant overwrites by a list or array of integers still has a gradient."""
    before = Tensor(array.value)
    before.edge = array.edge
    parts = index if isinstance(index, tuple) else (index,)
    is_listed = any(isinstance(part, (list, np.ndarray)) for part in parts)
    if is_listed and edge_of(value) is None and array.edge is not None:
        there = before[index]
        value = value + (there - Tensor(detach(there)))
    array[index] = value


def overwritten_by_a_number_keeps_its_history(self: Any, array: Tensor, index: Any, value: Any) -> None:
    """What a number of the language overwrites still has a gradient."""
    if isinstance(value, (int, float)) and array.edge is not None:
        array.value = array.value.copy()
        array.value[index] = value
    else:
        array[index] = value


MUTANTS: tuple[Mutant, ...] = (
    behaviour("overwritten-by-a-list-keeps-its-history", "What a constant overwrites by a list, mask or array still has a gradient.",
        ("contract/D7/constant-by-every-index",), assign=overwritten_by_a_list_keeps_its_history),
    behaviour("overwritten-by-a-number-keeps-its-history", "What a number of the language overwrites still has a gradient.",
        ("contract/D7/constant-by-every-index",), assign=overwritten_by_a_number_keeps_its_history),
)  # fmt: skip
