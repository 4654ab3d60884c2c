"""Mutants that are wrong where an index occurs more than once."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from conformance_backends.mutants.mutant import Mutant, rule, value


def overwritten(index: Callable[..., Any]) -> Callable[..., Any]:
    """What is picked twice receives the last cotangent only."""

    def altered(right: Any, i: int, g: Any, z: Any, x: Any, *xs: Any, **p: Any) -> Any:
        pulled = np.zeros_like(x)
        pulled[index(*xs, **p)] = g
        return pulled

    return altered


def counted_once(right: Any, i: int, g: Any, z: Any, x: Any, values: Any, index: Any) -> Any:
    """Values added at one index share its cotangent."""
    pulled = right(i, g, z, x, values, index=index)
    if i == 0 or not isinstance(index[0], list):
        return pulled
    names = np.asarray(index[0]) % len(x)
    shares = (names[:, None] == names).sum(axis=1) if names.ndim == 1 else np.ones(())
    return pulled / shares.reshape(shares.shape + (1,) * (pulled.ndim - shares.ndim)).astype(pulled.dtype)


def added_once(right: Any, x: Any, values: Any, index: Any) -> Any:
    """x[index] += values: of values added at one index only the last counts."""
    result = np.array(x)
    result[tuple(np.asarray(i, np.intp) if isinstance(i, list) else i for i in index)] += values
    return result


def first_write_has_gradient(right: Any, i: int, g: Any, z: Any, x: Any, values: Any, index: Any) -> Any:
    """Of values written at one index the first has the gradient, though it did not stay."""
    pulled = right(i, g, z, x, values, index=index)
    if i == 1 and isinstance(index[0], list):
        seen: set[int] = set()
        for position, place in enumerate(np.asarray(index[0]) % len(x)):
            if place in seen:
                pulled[position] = 0
            seen.add(int(place))
    return pulled


def through_overwritten(right: Any, i: int, g: Any, z: Any, x: Any, values: Any, index: Any) -> Any:
    """Overwritten entries still receive a cotangent."""
    return g if i == 0 else right(i, g, z, x, values, index=index)


ADD = "contract/D9/scatter-add"
GATHER = "contract/D9/gather"
WRITE = "contract/D9/scatter-write"

MUTANTS: tuple[Mutant, ...] = (
    rule("gather-overwrites", "A row that is picked twice receives the last cotangent only.",
        (GATHER,), ("getitem_integer_array",),
        overwritten(lambda index: tuple(np.asarray(i) if isinstance(i, list) else i for i in index))),
    rule("take-overwrites", "An entry taken twice receives the last cotangent only.",
        (GATHER,), ("take",), overwritten(lambda indices, axis: (slice(None),) * (axis or 0) + (indices,))),
    rule("added-share", "Values added at one index share its cotangent.", (ADD,), ("index_add",), counted_once),
    value("added-once", "Of values added at one index only the last is in the sum.",
        (ADD,), ("index_add",), added_once),
    rule("first-write-has-gradient", "Of values written at one index the first has the gradient, though the adapter declares each.",
        (WRITE,), ("index_update",), first_write_has_gradient),
    rule("overwritten-has-gradient", "What is overwritten still receives a cotangent.",
        (WRITE,), ("index_update",), through_overwritten),
)  # fmt: skip
