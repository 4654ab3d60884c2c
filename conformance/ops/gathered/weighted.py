"""Means of weighted entries, logarithms of sums of weighted exponentials, and products and running sums of what are numbers."""

from __future__ import annotations

from typing import Any

import numpy as np

from conformance.op import POSITIVE, REAL, Choose, Op, Signature
from conformance.ops import laws
from conformance.ops.dispatch import dispatched
from conformance.ops.reductions import SOME, apart, axes_of, kept, prod_vjp
from conformance.ops.rows import general, unbroadcast
from conformance.ops.scans import running_sum_backwards, scanning
from conformance.ops.traits import (
    HOLOMORPHIC,
    ORDER_INVARIANT,
    PIECEWISE_LINEAR,
    REDUCTION,
    Homogeneous,
    Shift,
)

# -- weights -----------------------------------------------------------------------------------------


def spread_weights(x: Any, weights: Any, axis: Any) -> Any:
    """The weights in the shape of the entries: those of one axis are of every row along it."""
    if np.shape(weights) == np.shape(x):
        return weights
    place = axes_of(np.shape(x), axis)[0]
    shape = tuple(n if a == place else 1 for a, n in enumerate(np.shape(x)))
    return np.broadcast_to(np.reshape(weights, shape=shape), shape=np.shape(x))


@dispatched
def average(x: Any, weights: Any, *, axis: Any, keepdims: bool) -> Any:
    """Σ w x/Σ w."""
    whole, axes = spread_weights(x, weights, axis), axes_of(np.shape(x), axis)
    sums = (np.sum(terms, axis=axes, keepdims=keepdims) for terms in (whole * x, whole))
    return np.divide(*sums)


def average_entries(g: Any, z: Any, x: Any, weights: Any, axis: Any, keepdims: bool) -> Any:
    """g w/Σ w."""
    whole = spread_weights(x, weights, axis)
    total = np.sum(whole, axis=axes_of(np.shape(x), axis), keepdims=True)
    return kept(g, x, axis) * (whole / total)


def average_weights(g: Any, z: Any, x: Any, weights: Any, axis: Any, keepdims: bool) -> Any:
    """g (x − z)/Σ w, added up where a weight is of several rows."""
    whole = spread_weights(x, weights, axis)
    total = np.sum(whole, axis=axes_of(np.shape(x), axis), keepdims=True)
    each = kept(g, x, axis) * ((x - kept(z, x, axis)) / total)
    if np.shape(weights) == np.shape(x):
        return each
    place = axes_of(np.shape(x), axis)[0]
    return np.sum(each, axis=tuple(a for a in range(np.ndim(x)) if a != place))


def weighing(choose: Choose) -> Signature:
    """Entries, weights of each of them or of those along one axis, and the axes."""
    shape = choose(tuple(s for s in laws.SHAPES if 0 not in s))
    axis = choose(tuple(a for a in laws.axis_forms(shape) if a != ()))
    is_one = isinstance(axis, int)
    weights = choose((shape, (shape[axis],)) if is_one else (shape,))
    parameters = {"axis": axis, "keepdims": choose((False, True))}
    return Signature((shape, weights), parameters)


# -- weighted exponentials -----------------------------------------------------------------------------


@dispatched
def weighted_logsumexp(x: Any, weights: Any, *, axis: Any, keepdims: bool) -> Any:
    """log Σ w exp x, shifted by the largest real part of a weight that is not 0, if it is a number."""
    counted = np.where(weights == 0, -np.inf, x)
    largest = np.max(np.real(counted), axis=axis, keepdims=True)
    shift = np.where(np.isfinite(largest), largest, np.zeros_like(largest))
    result = shift + np.log(np.sum(weights * np.exp(counted - shift), axis=axis, keepdims=True))
    return result if keepdims else np.squeeze(result, axis=axes_of(np.shape(x), axis))[()]


def exponentials(z: Any, x: Any, weights: Any, axis: Any) -> tuple[Any, Any]:
    """exp(x − z), and their weighted sum, which is 1 but for the digits of z that a large x takes."""
    shares = np.exp(apart(x, kept(z, x, axis)))
    return shares, np.sum(weights * shares, axis=axes_of(np.shape(x), axis), keepdims=True)


def weighted_logsumexp_entries(g: Any, z: Any, x: Any, weights: Any, axis: Any, keepdims: bool) -> Any:
    """g w exp(x − z)."""
    shares, total = exponentials(z, x, weights, axis)
    return kept(g, x, axis) * (weights * shares / total)


def weighted_logsumexp_weights(g: Any, z: Any, x: Any, weights: Any, axis: Any, keepdims: bool) -> Any:
    """g exp(x − z), also of a weight of 0; added up where a weight is of several entries."""
    shares, total = exponentials(z, x, weights, axis)
    return unbroadcast(kept(g, x, axis) * (shares / total), np.shape(weights))


def weighing_exponentials(choose: Choose) -> Signature:
    """Entries, weights that broadcast against them, and the axes."""
    shape = choose(tuple(s for s in (*laws.SHAPES, *laws.LONG_ROWS) if 0 not in s))
    column = (*shape[:-1], 1)[: len(shape)]
    weights = choose(tuple(dict.fromkeys((shape, shape[-1:], (), column))))
    parameters = {"axis": choose(laws.axis_forms(shape)), "keepdims": choose((False, True))}
    return Signature((shape, weights), parameters)


# -- numbers -----------------------------------------------------------------------------------------


def nanprod_vjp(g: Any, z: Any, x: Any, axis: Any = None, keepdims: bool = False) -> Any:
    """The product's rule, a NaN counting as 1, and 0 there."""
    pulled = prod_vjp(g, z, np.where(np.isnan(x), 1, x), axis, keepdims)
    return np.where(np.isnan(x), 0, pulled)


def nancumsum_vjp(g: Any, z: Any, x: Any, axis: Any = None) -> Any:
    """Σ_{j≥i} gⱼ, 0 where there is no number."""
    return np.where(np.isnan(x), 0, running_sum_backwards(g, x, axis))


ROWS: tuple[Op, ...] = (
    general("average", average, average_entries, average_weights,
        formula="x̄ = g w/Σ w, w̄ = g (x − z)/Σ w", source="quotient rule", domains=[REAL, POSITIVE], law=weighing,
        traits={HOLOMORPHIC, REDUCTION, Homogeneous(1), Homogeneous(0, of=(1,)), Shift(1)}),
    general("weighted_logsumexp", weighted_logsumexp, weighted_logsumexp_entries, weighted_logsumexp_weights,
        formula="x̄ᵢ = g wᵢ exp(xᵢ − z), w̄ᵢ = g exp(xᵢ − z)", source="eᶻ = Σ w eˣ differentiated",
        domains=[REAL, POSITIVE], law=weighing_exponentials, traits={HOLOMORPHIC, REDUCTION, Shift(1)}),
    general("nanprod", np.nanprod, nanprod_vjp,
        formula="x̄ᵢ = g · Π_{j≠i} xⱼ of the numbers, 0 where xᵢ is NaN", source="prod's rule on the entries that are numbers",
        law=laws.reduction(SOME), traits={REDUCTION, ORDER_INVARIANT}),
    general("nancumsum", np.nancumsum, nancumsum_vjp,
        formula="x̄ᵢ = Σ_{j≥i} gⱼ, 0 where xᵢ is NaN", source="the running sum's rule on the entries that are numbers",
        law=scanning((*laws.SHAPES, *laws.LONG_ROWS)), traits={PIECEWISE_LINEAR, Homogeneous(1)}),
)  # fmt: skip
