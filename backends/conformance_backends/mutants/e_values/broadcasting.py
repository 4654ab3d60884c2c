"""Mutants that reduce the gradient of a broadcast operand wrongly."""

from __future__ import annotations

from typing import Any

import numpy as np

from conformance_backends.mutants.mutant import Mutant, rule


def averaged(right: Any, i: int, g: Any, z: Any, *xs: Any, **p: Any) -> Any:
    """The mean over the broadcast axes."""
    return right(i, g, z, *xs, **p) * max(np.size(xs[i]), 1) / max(np.size(g), 1)


def summed_over_last_axis(right: Any, i: int, g: Any, z: Any, *xs: Any) -> Any:
    """A vector against a square matrix: the shape is right, the axis is not."""
    if np.ndim(xs[i]) == 1 and np.ndim(g) == 2 and g.shape[0] == g.shape[1]:
        return right(i, g.T, z.T, *(x.T for x in xs))
    return right(i, g, z, *xs)


def last_copy_counts(right: Any, i: int, g: Any, z: Any, *xs: Any, **p: Any) -> Any:
    """Only the last copy along a leading axis counts."""
    if np.ndim(xs[i]) < np.ndim(g) and np.size(g):
        return right(i, np.concatenate([np.zeros_like(g[:-1]), g[-1:]]), z, *xs, **p)
    return right(i, g, z, *xs, **p)


def first_row_counts(right: Any, i: int, g: Any, z: Any, *xs: Any) -> Any:
    """Of the rows that share one entry only the first counts."""
    is_shared = np.ndim(xs[i]) > 0 and np.size(xs[i]) == 1 < np.ndim(g)
    return right(i, without_later_rows(g) if is_shared and np.size(g) else g, z, *xs)


def first_row_of_indices_counts(
    right: Any, i: int, g: Any, z: Any, x: Any, indices: Any, axis: int = -1
) -> Any:
    """Of the rows that share their indices only the first counts."""
    is_shared = np.ndim(x) == 2 and np.shape(indices)[0] == 1 < np.shape(x)[0] and axis % 2 == 1
    return right(i, without_later_rows(g) if is_shared else g, z, x, indices, axis=axis)


def without_later_rows(g: Any) -> Any:
    """The first row, and zeros."""
    return np.concatenate([g[:1], np.zeros_like(g[1:])])


def averaged_over_the_stack(right: Any, i: int, g: Any, z: Any, x: Any, y: Any) -> Any:
    """A vector before a stack of three axes."""
    pulled = right(i, g, z, x, y)
    return pulled / max(len(y), 1) if i == 0 and np.ndim(x) == 1 and np.ndim(y) == 3 else pulled


def doubled_where_stretched(right: Any, i: int, g: Any, z: Any, *xs: Any, **p: Any) -> Any:
    """The third operand of fewer entries than the first."""
    return right(i, g, z, *xs, **p) * (2 if i == 2 and np.size(xs[2]) < np.size(xs[0]) else 1)


def last_alone_is_whole(right: Any, i: int, g: Any, z: Any, *xs: Any, **p: Any) -> Any:
    """The last operand alone has the shape of the output."""
    pulled = right(i, g, z, *xs, **p)
    return pulled * (2 if i < len(xs) - 1 and np.ndim(z) > max(map(np.ndim, xs[:-1])) else 1)


BROADCAST = ("op/vjp", "op/broadcasting")

MUTANTS: tuple[Mutant, ...] = (
    rule("unbroadcast-averages", "A broadcast operand receives the mean over the broadcast axes.",
        BROADCAST, ("add",), averaged),
    rule("unbroadcast-wrong-axis", "A vector that multiplies a square matrix is summed over the wrong axis.",
        BROADCAST, ("multiply", "add", "subtract"), summed_over_last_axis),
    rule("unbroadcast-last-copy", "Of the copies along a leading axis only the last one counts.",
        BROADCAST, ("subtract",), last_copy_counts),
    *(rule(f"one-{what}-of-the-first-row", f"A {what} that all rows share is summed over the first row alone.",
        BROADCAST, (op,), first_row_counts) for op, what in (("prelu", "slope"), ("fma", "factor"))),
    rule("doubled-where-the-last-is-larger", "Where the last of three operands alone has the output's shape, the others' gradients are doubled.",
        BROADCAST, ("where", "lerp"), last_alone_is_whole),
)  # fmt: skip
