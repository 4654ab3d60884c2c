"""Mutants that add up the examples of a long batch in half precision."""

from __future__ import annotations

from typing import Any

import numpy as np

from conformance_backends.mutants.e_values.half_precision import narrow_sum, precision
from conformance_backends.mutants.mutant import Mutant


def rows_added_one_by_one(right: Any, i: int, g: Any, z: Any, *xs: Any) -> Any:
    """The gradient of a vector that is added to every row is added up row by row."""
    pulled = right(i, g, z, *xs)
    if i != 2 or np.ndim(g) < 2:
        return pulled
    rows = np.reshape(g, (-1, np.shape(g)[-1]))
    return np.array([narrow_sum(column, "bfloat16") for column in rows.T], pulled.dtype).reshape(pulled.shape)


MUTANTS: tuple[Mutant, ...] = (
    precision("rows-added-in-bfloat16", "What the rows of a batch share is added up in bfloat16, one row at a time.",
        ("op/long-batch",), ("linear",), "bfloat16", rows_added_one_by_one),
)  # fmt: skip
