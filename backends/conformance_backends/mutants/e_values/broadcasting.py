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


BROADCAST = ("op/vjp", "op/broadcasting")

MUTANTS: tuple[Mutant, ...] = (
    rule("unbroadcast-averages", "A broadcast operand receives the mean over the broadcast axes.",
        BROADCAST, ("add",), averaged),
    rule("unbroadcast-wrong-axis", "A vector that multiplies a square matrix is summed over the wrong axis.",
        BROADCAST, ("multiply", "add", "subtract"), summed_over_last_axis),
    rule("unbroadcast-last-copy", "Of the copies along a leading axis only the last one counts.",
        BROADCAST, ("subtract",), last_copy_counts),
)  # fmt: skip
