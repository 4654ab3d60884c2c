"""Medians and quantiles of the entries that are numbers: a NaN is left out, and its gradient is 0."""

from __future__ import annotations

from typing import Any

import numpy as np

from conformance.op import DISTINCT, Op
from conformance.ops.comparisons.orders import between, merged_last, ranks, unmerged
from conformance.ops.dispatch import dispatched
from conformance.ops.reductions import axes_of, odd_count, routed
from conformance.ops.rows import general
from conformance.ops.traits import ORDER_INVARIANT, PIECEWISE_LINEAR, REDUCTION, Homogeneous, Shift


def beside_numbers(rows: Any, q: float) -> tuple[Any, Any, Any]:
    """For each row the places below and above the quantile of its numbers, once sorted, and the upper one's share.

    Of a row without numbers it is the first place.
    """
    numbers = np.sum(~np.isnan(rows), axis=-1, keepdims=True).astype(float)
    place = q * np.maximum(numbers - 1, 0)
    below = np.floor(place)
    return below, np.ceil(place), (place - below).astype(np.real(rows).dtype)


@dispatched
def nanquantile(x: Any, *, q: float, axis: Any = None, keepdims: bool = False) -> Any:
    """The number that a share q of the numbers lies below, between two of them by linear interpolation."""
    rows = merged_last(x, axis)
    below, above, share = beside_numbers(rows, q)
    ordered = np.sort(rows, axis=-1)  # what is no number stands last
    lower, upper = (np.take_along_axis(ordered, place.astype(int), axis=-1) for place in (below, above))
    return as_reduction((1 - share) * lower + share * upper, x, axis, keepdims)


def as_reduction(column: Any, x: Any, axis: Any, keepdims: bool) -> Any:
    """One result for each row of `x`, in the shape that a reduction gives."""
    each = column[..., 0][()]
    return np.expand_dims(each, axes_of(np.shape(x), axis)) if keepdims else each


@dispatched
def nanmedian(x: Any, *, axis: Any = None, keepdims: bool = False) -> Any:
    """The number in the middle of an odd number of them; of an even number the mean of two."""
    rows = merged_last(x, axis)
    below, above, _ = beside_numbers(rows, 0.5)
    ordered = np.sort(rows, axis=-1)
    lower, upper = (np.take_along_axis(ordered, place.astype(int), axis=-1) for place in (below, above))
    return as_reduction(np.where(below == above, lower, (lower + upper) / 2), x, axis, keepdims)


def nanquantile_vjp(g: Any, z: Any, x: Any, q: float, axis: Any = None, keepdims: bool = False) -> Any:
    """(1 − t) g at the number below, t g at the one above."""
    rows = merged_last(x, axis)
    below, above, share = beside_numbers(rows, q)
    cotangent = np.reshape(g, shape=(*np.shape(rows)[:-1], 1))
    order = np.where(np.isnan(rows), -1, ranks(rows, -1))
    lower = np.where(order == below, (1 - share) * cotangent, 0)
    upper = np.where(order == above, share * cotangent, 0)
    return unmerged(lower + upper, x, axis)


ROWS: tuple[Op, ...] = (
    # Of an even number of them engines take the mean of the two in the middle, or the lower one.
    general("nanmedian", nanmedian, lambda g, z, x, axis=None, keepdims=False: routed(g, z, x, axis),
        formula="x̄ᵢ = g where xᵢ = z, else 0", source="routes to the middle entry of an odd number of numbers; ties share equally",
        domains=[DISTINCT], law=odd_count,
        traits={REDUCTION, ORDER_INVARIANT, PIECEWISE_LINEAR, Homogeneous(1), Shift(1)}),
    general("nanquantile", nanquantile, nanquantile_vjp,
        formula="x̄ᵢ = (1 − t) g at the number below, t g at the one above, t = q(n − 1) − ⌊q(n − 1)⌋, n the numbers",
        source="quantile's rule on the entries that are numbers", domains=[DISTINCT], law=between,
        traits={REDUCTION, ORDER_INVARIANT, PIECEWISE_LINEAR, Homogeneous(1), Shift(1)}),
)  # fmt: skip
