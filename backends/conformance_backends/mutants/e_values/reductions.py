"""Mutants that are wrong for some forms of a reduction."""

from __future__ import annotations

from typing import Any

import numpy as np

from conformance_backends.mutants.mutant import Mutant, rule

BLOCK = 128  # entries that a kernel treats in one piece
LARGE_BLOCK = 1024
PAGE = 4096  # entries


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


def _ended_at_a_block(right: Any, i: int, g: Any, z: Any, x: Any, axis: Any = None, **p: Any) -> Any:
    """What a block of 128 entries owes to those before it is lost."""
    if axis != 0 or len(x) <= BLOCK:
        return right(i, g, z, x, axis=axis, **p)
    parts = [[np.take(y, n, axis=0) for y in (g, z, x)] for n in np.split(np.arange(len(x)), [BLOCK])]
    return np.concatenate([right(i, *part, axis=0, **p) for part in parts], axis=0)


def _divided(right: Any, i: int, g: Any, z: Any, x: Any, axis: Any = None, keepdims: bool = False) -> Any:
    """Of many entries the product of the others is the product divided by the entry, or 0."""
    if axis != 0 or keepdims or len(x) <= BLOCK:
        return right(i, g, z, x, axis=axis, keepdims=keepdims)
    is_zero = x == 0
    return np.where(is_zero, 0, g * z / np.where(is_zero, 1, x))


def _tail_of_blocks_lost(
    right: Any, i: int, g: Any, z: Any, x: Any, axis: Any = None, keepdims: bool = False
) -> Any:
    """What is left of many entries when they are divided into blocks has no gradient."""
    pulled = right(i, g, z, x, axis=axis, keepdims=keepdims)
    whole = x.size // LARGE_BLOCK * LARGE_BLOCK
    return pulled if np.ndim(x) != 1 or not whole else pulled * (np.arange(x.size) < whole)


def _page_alone(right: Any, i: int, g: Any, z: Any, x: Any, *others: Any, **p: Any) -> Any:
    """What lies behind the first 4096 entries of an array of one axis has no gradient."""
    pulled = right(i, g, z, x, *others, **p)
    return pulled if np.ndim(x) != 1 else pulled * (np.arange(x.size) < PAGE)


def _ended_at_a_large_block(right: Any, i: int, g: Any, z: Any, x: Any, axis: Any = None) -> Any:
    """What 512 entries owe to those before them is lost."""
    if axis != 0 or len(x) <= LARGE_BLOCK // 2:
        return right(i, g, z, x, axis=axis)
    places = np.split(np.arange(len(x)), range(LARGE_BLOCK // 2, len(x), LARGE_BLOCK // 2))
    return np.concatenate([right(i, *(np.take(y, n, axis=0) for y in (g, z, x)), axis=0) for n in places])


def _tail_of_threads_doubled(right: Any, i: int, g: Any, z: Any, *xs: Any) -> Any:
    """Beyond the entries that all threads have alike, the slope is doubled."""
    pulled = right(i, g, z, *xs)
    whole = xs[0].size // LARGE_BLOCK * LARGE_BLOCK
    return pulled if np.ndim(xs[0]) != 1 or not whole else pulled * (1 + (np.arange(xs[0].size) >= whole))


MUTANTS: tuple[Mutant, ...] = (
    rule("tail-of-blocks-lost", "Of more than a thousand summed entries those beyond the last block have no gradient.",
        ("contract/E1/many-entries",), ("sum", "mean"), _tail_of_blocks_lost),
    rule("tail-of-threads-doubled", "Of more than a thousand entries those beyond the last block have twice their slope.",
        ("contract/E1/many-entries",), ("exp", "multiply"), _tail_of_threads_doubled),
    rule("first-page-alone", "Of more than 4096 entries those behind have no gradient.",
        ("contract/E1/many-entries",), ("sum", "exp"), _page_alone),
    rule("running-sum-in-blocks", "Of a running sum what 512 entries owe to those before them is lost.",
        ("contract/E1/long-rows",), ("cumulative_sum",), _ended_at_a_large_block),
    rule("running-rule-ends-at-a-block", "Of a running product or maximum what a block owes to those before it is lost.",
        ("contract/E1/long-rows",), ("cumulative_prod", "cummax"), _ended_at_a_block),
    rule("product-of-many-is-divided", "The gradient of a product of many entries is 0 where an entry is.",
        ("contract/E1/long-rows",), ("prod",), _divided),
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
