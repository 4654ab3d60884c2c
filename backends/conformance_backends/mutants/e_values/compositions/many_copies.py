"""Mutants that add up the gradients of many copies in half precision."""

from __future__ import annotations

from typing import Any

import numpy as np

from conformance_backends.mutants.e_values.half_precision import narrow_sum, precision
from conformance_backends.mutants.mutant import Mutant, Wrong
from conformance_backends.numpy_engine.tensor import detach


def added_one_by_one(dtype: str) -> Wrong:
    """The gradient of one number that becomes thousands is added up in half precision."""

    def altered(right: Any, i: int, g: Any, z: Any, x: Any, **parameters: Any) -> Any:
        pulled = right(i, g, z, x, **parameters)
        if np.size(x) > 1 or np.size(g) < 2:
            return pulled
        return np.full(np.shape(x), narrow_sum(detach(g), dtype), pulled.dtype)

    return altered


def stopped(right: Any, i: int, g: Any, z: Any, x: Any, *others: Any, **parameters: Any) -> Any:
    """In bfloat16 a gradient ceases to grow at 256 terms of equal size."""
    pulled = right(i, g, z, x, *others, **parameters)
    most = 256 * np.max(np.abs(detach(g)).astype(np.float32), initial=0)
    return np.clip(pulled.astype(np.float32), -most, most).astype(pulled.dtype)


MUTANTS: tuple[Mutant, ...] = (
    precision("adds-up-broadcast-in-float16", "In float16 the gradient of a number that is broadcast is summed in float16, one term at a time.",
        ("contract/E15/long-copies",), ("broadcast_to",), "float16", added_one_by_one("float16")),
    precision("adds-up-tiles-in-bfloat16", "In bfloat16 the gradient of what is tiled or repeated ceases to grow at 256 terms.",
        ("contract/E15/long-copies",), ("tile", "repeat"), "bfloat16", stopped),
    precision("adds-up-picked-in-bfloat16", "In bfloat16 the gradient of a row that is picked again ceases to grow at 256 terms.",
        ("contract/E15/long-copies",), ("take", "embedding", "getitem_integer_array"), "bfloat16", stopped),
)  # fmt: skip
