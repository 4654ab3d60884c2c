"""Mutants that are wrong for some forms of a reduction."""

from __future__ import annotations

from typing import Any

import numpy as np

from conformance_backends.mutants.mutant import Mutant, rule


def _negative_axis(
    right: Any, i: int, g: Any, z: Any, x: Any, axis: Any = None, keepdims: bool = False
) -> Any:
    """A negative axis is counted from the front where all axes have one length."""
    is_square = np.ndim(x) > 1 and len(set(x.shape)) == 1
    wrong = -1 - axis if isinstance(axis, int) and axis < 0 and is_square else axis
    return right(
        i,
        np.reshape(g, np.shape(np.sum(x, axis=wrong, keepdims=keepdims))),
        z,
        x,
        axis=wrong,
        keepdims=keepdims,
    )


def _keepdims_doubled(
    right: Any, i: int, g: Any, z: Any, x: Any, axis: Any = None, keepdims: bool = False
) -> Any:
    return right(i, g * 2 if keepdims and axis is not None else g, z, x, axis=axis, keepdims=keepdims)


def _mean_over_rows(right: Any, i: int, g: Any, z: Any, *xs: Any, reduction: str = "mean", **p: Any) -> Any:
    pulled = right(i, g, z, *xs, reduction=reduction, **p)
    is_matrix = reduction == "mean" and np.ndim(xs[0]) > 1
    return pulled * (xs[0].size / len(xs[0])) if is_matrix else pulled


def _mean_twice(right: Any, i: int, g: Any, z: Any, *xs: Any, reduction: str = "mean", **p: Any) -> Any:
    pulled = right(i, g, z, *xs, reduction=reduction, **p)
    return pulled / len(xs[0]) if reduction == "mean" else pulled


def _sum_averaged(right: Any, i: int, g: Any, z: Any, *xs: Any, reduction: str = "mean", **p: Any) -> Any:
    return right(i, g, z, *xs, reduction="mean" if reduction == "sum" else reduction, **p)


MUTANTS: tuple[Mutant, ...] = (
    rule("negative-axis-from-front", "On square arrays a negative axis is counted from the front.",
        ("op/axis-forms",), ("sum", "mean", "max"), _negative_axis),
    rule("keepdims-doubles", "With keepdims and an axis a sum's gradient is doubled.",
        ("op/vjp", "op/axis-forms"), ("sum", "mean"), _keepdims_doubled),
    rule("mean-loss-over-rows", "A mean loss divides by the size of the batch instead of the number of terms.",
        ("op/vjp", "op/loss-reductions"), ("mse", "huber"), _mean_over_rows),
    rule("mean-loss-twice", "A mean loss divides by the size of the batch twice.",
        ("op/vjp", "op/loss-reductions"), ("cross_entropy",), _mean_twice),
    rule("sum-loss-averaged", "A summed loss is averaged.", ("op/vjp", "op/loss-reductions"), ("mse", "huber", "log_cosh"), _sum_averaged),
)  # fmt: skip
