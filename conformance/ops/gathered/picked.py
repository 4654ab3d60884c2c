"""Reductions of the entries that a mask picks: the others are not looked at."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from conformance.op import Choose, Domain, Law, Op, OperandKind, Shape, Signature
from conformance.ops import laws
from conformance.ops.dispatch import dispatched
from conformance.ops.reductions import axes_of, routed, spread
from conformance.ops.rows import general, linear
from conformance.ops.traits import HOLOMORPHIC, PIECEWISE_LINEAR, REDUCTION, Homogeneous, Shift

Mask = Any  # nested lists of truth values, which broadcast against the entries

# -- references --------------------------------------------------------------------------------------


def counts(x: Any, axis: Any, where: Mask) -> Any:
    """How many entries each result sees, in the precision of the entries; the axes are kept."""
    picked = np.broadcast_to(np.asarray(where, bool), np.shape(x))
    return np.sum(picked, axis=axes_of(np.shape(x), axis), keepdims=True).astype(np.real(x).dtype)


@dispatched
def sum_where(x: Any, *, axis: Any, keepdims: bool, where: Mask) -> Any:
    """The sum of the picked entries."""
    return np.sum(x, axis=axis, keepdims=keepdims, where=np.asarray(where, bool))


@dispatched
def mean_where(x: Any, *, axis: Any, keepdims: bool, where: Mask) -> Any:
    """The mean of the picked entries."""
    means = sum_where(x, axis=axis, keepdims=True, where=where) / counts(x, axis, where)
    return means if keepdims else np.squeeze(means, axis=axes_of(np.shape(x), axis))[()]


@dispatched
def max_where(x: Any, *, axis: Any, keepdims: bool, where: Mask, initial: float) -> Any:
    """The largest of the picked entries and a number."""
    return np.max(x, axis=axis, keepdims=keepdims, where=np.asarray(where, bool), initial=initial)


@dispatched
def min_where(x: Any, *, axis: Any, keepdims: bool, where: Mask, initial: float) -> Any:
    """The smallest of the picked entries and a number."""
    return np.min(x, axis=axis, keepdims=keepdims, where=np.asarray(where, bool), initial=initial)


# -- rules: selected, not multiplied by 0, so that an infinite cotangent leaks no NaN ------------------


def sum_where_transposed(g: Any, x: Any, axis: Any, keepdims: bool, where: Mask) -> Any:
    """g where picked."""
    return np.where(np.asarray(where, bool), spread(g, x, axis), 0)


def mean_where_transposed(g: Any, x: Any, axis: Any, keepdims: bool, where: Mask) -> Any:
    """g over the count of what is picked."""
    return np.where(np.asarray(where, bool), spread(g, x, axis) / counts(x, axis, where), 0)


def extreme_vjp(beyond: float) -> Any:
    """g at the picked entries that are the result; the others are beyond all numbers."""

    def vjp(g: Any, z: Any, x: Any, axis: Any, keepdims: bool, where: Mask, initial: float) -> Any:
        return routed(g, z, np.where(np.asarray(where, bool), x, beyond), axis)

    return vjp


# -- laws --------------------------------------------------------------------------------------------

SHAPES: tuple[Shape, ...] = tuple(s for s in laws.up_to(132) if 0 not in s)


def mask_of(shape: Shape, axes: tuple[int, ...], start: int) -> Mask:
    """Every other entry, and the first of those that each result sees."""
    places = np.indices(shape)
    is_first = np.all(places[list(axes)] == 0, axis=0)
    return ((np.sum(places, axis=0) % 2 == start) | is_first).tolist()


def picking(*, may_pick_none: bool = False) -> Law:
    """Entries, axes, and a mask of the entries or of those along the last axis; each result sees one, if it must."""

    def law(choose: Choose) -> Signature:
        shape = choose(SHAPES)
        axis = choose(laws.axis_forms(shape))
        axes = axes_of(shape, axis)
        has_row = len(shape) > 1 and len(shape) - 1 in axes
        masked = choose((shape, shape[-1:]) if has_row else (shape,))
        of_mask = axes if masked == shape else (0,)
        masks = (*(mask_of(masked, of_mask, start) for start in (0, 1)), *[False][: int(may_pick_none)])
        return Signature((shape,), {"axis": axis, "keepdims": choose((False, True)), "where": choose(masks)})

    return law


def beside(*numbers: float) -> Law:
    """The same, and a number that counts as an entry; where it is 0, entries are clear of it."""

    def law(choose: Choose) -> Signature:
        picked, initial = picking()(choose), choose(numbers)
        domain = Domain(kind=OperandKind.DISTINCT, kinks=() if math.isinf(initial) else (initial,))
        return Signature(picked.shapes, {**picked.parameters, "initial": initial}, (domain,))

    return law


ROWS: tuple[Op, ...] = (
    linear("sum_where", sum_where, sum_where_transposed,
        formula="x̄ᵢ = g where picked, else 0", source="linear; the sum's rule on what is picked",
        law=picking(may_pick_none=True), traits={REDUCTION, HOLOMORPHIC}),
    linear("mean_where", mean_where, mean_where_transposed,
        formula="x̄ᵢ = g / n where picked, else 0, n of them", source="the sum over the count of what is picked",
        law=picking(), traits={REDUCTION, HOLOMORPHIC, Shift(1)}),
    general("max_where", max_where, extreme_vjp(-math.inf),
        formula="x̄ᵢ = g where xᵢ = z and is picked, else 0", source="max's rule on what is picked; a number beyond all takes all",
        domains=[Domain(kind=OperandKind.DISTINCT)], law=beside(-math.inf, 0.0),
        traits={REDUCTION, PIECEWISE_LINEAR, Homogeneous(1)}),
    general("min_where", min_where, extreme_vjp(math.inf),
        formula="x̄ᵢ = g where xᵢ = z and is picked, else 0", source="min's rule on what is picked; a number beyond all takes all",
        domains=[Domain(kind=OperandKind.DISTINCT)], law=beside(math.inf, 0.0),
        traits={REDUCTION, PIECEWISE_LINEAR, Homogeneous(1)}),
)  # fmt: skip
