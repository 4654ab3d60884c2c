"""Running extremes, the largest entries and quantiles: results that are entries of the operand, or lie between two.

Of equal entries a running extreme is the first one's, as in a stable sort.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from conformance.op import DISTINCT, Choose, Op, Shape, Signature
from conformance.ops import laws
from conformance.ops.dispatch import dispatched
from conformance.ops.reductions import FEW, axes_of, routed
from conformance.ops.rows import general
from conformance.ops.scans import scanned_last, scanning, unscanned
from conformance.ops.traits import ORDER_INVARIANT, PIECEWISE_LINEAR, REDUCTION, Homogeneous, Shift

# -- references ------------------------------------------------------------------------------------


@dispatched
def cummax(x: Any, *, axis: int | None = None) -> Any:
    """The largest entry so far."""
    scan = np.maximum.accumulate(scanned_last(x, axis), axis=-1)
    return scan if axis is None else np.moveaxis(scan, -1, axis)


@dispatched
def cummin(x: Any, *, axis: int | None = None) -> Any:
    """The smallest entry so far."""
    scan = np.minimum.accumulate(scanned_last(x, axis), axis=-1)
    return scan if axis is None else np.moveaxis(scan, -1, axis)


@dispatched
def top_k(x: Any, *, k: int, axis: int = -1) -> Any:
    """The k largest entries along an axis, in descending order."""
    return np.take(np.flip(np.sort(x, axis=axis), axis=axis), np.arange(k), axis=axis)


@dispatched
def kthvalue(x: Any, *, k: int, axis: int = -1, keepdims: bool = False) -> Any:
    """The k-th smallest entry along an axis, counted from 1."""
    entry = np.take(np.sort(x, axis=axis), k - 1, axis=axis)
    return np.expand_dims(entry, axis=axis) if keepdims else entry


HALF = 0.5


def beside(n: int, q: float) -> tuple[int, int, float]:
    """The places below and above the quantile of n sorted entries, and the upper one's share."""
    below = math.floor(q * (n - 1))
    return below, min(below + 1, n - 1), q * (n - 1) - below


def taken(n: int, q: float, method: str) -> tuple[int, int, float]:
    """The places of two of n sorted entries, and the share of the second, by the method."""
    below, above, share = beside(n, q)
    if method == "linear" or not share:
        return below, above, share
    return (
        below,
        above,
        {"lower": 0.0, "higher": 1.0, "midpoint": 0.5, "nearest": float(share > HALF)}[method],
    )


def merged_last(x: Any, axis: Any) -> Any:
    """`x` with the axes that are named behind the others, as one."""
    axes = axes_of(np.shape(x), axis)
    behind = np.moveaxis(x, source=axes, destination=tuple(range(-len(axes), 0)))
    return np.reshape(behind, shape=(*np.shape(behind)[: np.ndim(x) - len(axes)], -1))


def unmerged(rows: Any, x: Any, axis: Any) -> Any:
    """The inverse of `merged_last`: back to the shape of `x`."""
    axes = axes_of(np.shape(x), axis)
    behind = (*(n for a, n in enumerate(np.shape(x)) if a not in axes), *(np.shape(x)[a] for a in axes))
    return np.moveaxis(np.reshape(rows, shape=behind), source=tuple(range(-len(axes), 0)), destination=axes)


@dispatched
def quantile(x: Any, *, q: float, axis: Any = None, keepdims: bool = False, method: str = "linear") -> Any:
    """The entry that a share q of the entries lies below; of two that it lies between, what the method says; NaN beside NaN."""
    ordered = np.sort(merged_last(x, axis), axis=-1)
    below, above, share = taken(ordered.shape[-1], q, method)
    between = (1 - share) * ordered[..., below] + share * ordered[..., above]
    result = np.where(np.isnan(ordered[..., -1]), np.asarray(np.nan, x.dtype), between)[()]
    return np.expand_dims(result, axes_of(np.shape(x), axis)) if keepdims else result


# -- rules -----------------------------------------------------------------------------------------


def ranks(x: Any, axis: int) -> Any:
    """How many entries stand before each one where they are sorted."""
    return np.argsort(np.argsort(x, axis=axis), axis=axis)


def running_extreme_vjp(g: Any, z: Any, x: Any, axis: int | None = None) -> Any:
    """Σⱼ gⱼ over the j from i on whose extreme is xᵢ, and no equal entry before it."""
    rows, result, cotangent = (scanned_last(a, axis) for a in (x, z, g))
    is_equal = np.expand_dims(rows, axis=-1) == np.expand_dims(result, axis=-2)
    is_source = is_equal & (np.cumsum(is_equal, axis=-2) == 1)
    return unscanned(np.sum(np.where(is_source, np.expand_dims(cotangent, axis=-2), 0), axis=-1), x, axis)


def top_k_vjp(g: Any, z: Any, x: Any, k: int, axis: int = -1) -> Any:
    """gⱼ at the entry that is the j-th largest, 0 at the others."""
    count, place = np.shape(x)[axis], axis % np.ndim(x)
    margins = tuple((0, count - k) if a == place else (0, 0) for a in range(np.ndim(x)))
    return np.take_along_axis(np.pad(g, pad_width=margins), ranks(-x, axis), axis=axis)


def quantile_vjp(
    g: Any, z: Any, x: Any, q: float, axis: Any = None, keepdims: bool = False, method: str = "linear"
) -> Any:
    """(1 − t) g at the entry below, t g at the one above."""
    rows = merged_last(x, axis)
    below, above, share = taken(np.shape(rows)[-1], q, method)
    cotangent, order = np.reshape(g, shape=(*np.shape(rows)[:-1], 1)), ranks(rows, -1)
    lower = np.where(order == below, (1 - share) * cotangent, 0)
    upper = np.where(order == above, share * cotangent, 0)
    return unmerged(lower + upper, x, axis)


# -- laws ------------------------------------------------------------------------------------------


def largest(choose: Choose) -> Signature:
    """One operand, an axis, and how many of its entries."""
    ranks = ((2, 1, 3, 2), (1, 2, 1, 3, 2), (2, 1, 2, 3, 1, 2), (1, 1))
    shape = choose(((3,), (2, 3), (3, 3), (3, 3, 3), (1,), (5,), (0, 3), *ranks, (33,), (2, 64), (17, 2)))
    axis = choose([a for a in (-1, *range(len(shape)), *range(-len(shape), -1)) if shape[a]])
    counts = dict.fromkeys((1, 2, shape[axis]))
    return Signature((shape,), {"k": choose([k for k in counts if k <= shape[axis]]), "axis": axis})


def placed(choose: Choose) -> Signature:
    """One operand, an axis, and which of its entries by size."""
    signature = largest(choose)
    return Signature(signature.shapes, {**signature.parameters, "keepdims": choose((False, True))})


# Fractions that every type holds, so that an entry's share is the same in all of them.
FRACTIONS = (0.5, 0.25, 0.0, 1.0, 0.75, 0.625, 0.3125, 0.90625)


SPREAD = tuple(shape for shape in laws.SHAPES if shape != (1, 1))  # of one entry each is the quantile


def between(choose: Choose) -> Signature:
    """One operand with entries, the axes that are reduced, and the fraction."""
    signature = laws.reduction(SPREAD, needs_entries=True)(choose)
    return Signature(signature.shapes, {"q": choose(FRACTIONS), **signature.parameters})


SMALL: tuple[Shape, ...] = ((3,), (2, 3), (4,))


def between_by(choose: Choose) -> Signature:
    """The same; or of few entries the lower one, the higher, the one between, or the nearest where one is nearer."""
    method = choose(("linear", "lower", "higher", "midpoint", "nearest"))
    if method == "linear":
        signature = between(choose)
        return Signature(signature.shapes, {**signature.parameters, "method": method})
    shape = choose(SMALL)
    axis = choose(laws.axis_forms(shape))
    count = math.prod(shape[a] for a in axes_of(shape, axis))
    fractions = (0.3125, 0.75)
    nearer = tuple(q for q in fractions if method != "nearest" or beside(count, q)[2] != HALF)
    return Signature((shape,), {"q": choose(nearer), "axis": axis, "keepdims": False, "method": method})


# -- rows ------------------------------------------------------------------------------------------

ROWS: tuple[Op, ...] = (
    general("cummax", cummax, running_extreme_vjp,
        formula="x̄ᵢ = Σ gⱼ over the j ≥ i with zⱼ = xᵢ", source="max's rule on each prefix",
        domains=[DISTINCT], law=scanning(FEW), traits={PIECEWISE_LINEAR, Homogeneous(1), Shift(1)}),
    general("cummin", cummin, running_extreme_vjp,
        formula="x̄ᵢ = Σ gⱼ over the j ≥ i with zⱼ = xᵢ", source="min's rule on each prefix",
        domains=[DISTINCT], law=scanning(FEW), traits={PIECEWISE_LINEAR, Homogeneous(1), Shift(1)}),
    general("top_k", top_k, top_k_vjp,
        formula="x̄ᵢ = gⱼ where xᵢ = zⱼ, else 0", source="sort's rule, of the last entries alone",
        domains=[DISTINCT], law=largest, aliases=("topk",),
        traits={ORDER_INVARIANT, PIECEWISE_LINEAR, Homogeneous(1)}),
    general("kthvalue", kthvalue, lambda g, z, x, k, axis=-1, keepdims=False: routed(g, z, x, axis),
        formula="x̄ᵢ = g where xᵢ = z, else 0", source="sort's rule, of one entry; ties share equally",
        domains=[DISTINCT], law=placed,
        traits={REDUCTION, ORDER_INVARIANT, PIECEWISE_LINEAR, Homogeneous(1), Shift(1)}),
    general("quantile", quantile, quantile_vjp,
        formula="x̄ᵢ = (1 − t) g at the entry below, t g at the one above, t = q(n − 1) − ⌊q(n − 1)⌋, or 0, 1, ½ or the nearer",
        source="Hyndman and Fan 1996, definition 7: between two entries, each of which sort picks",
        domains=[DISTINCT], law=between_by,
        traits={REDUCTION, ORDER_INVARIANT, PIECEWISE_LINEAR, Homogeneous(1), Shift(1)}),
)  # fmt: skip
