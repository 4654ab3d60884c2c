"""Reductions and scans: results that add up, multiply or order the entries along axes.

`axis` is None, an integer of either sign or a tuple of them (the empty tuple reduces nothing);
`keepdims` keeps the reduced axes with size 1.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from conformance.op import DISTINCT, NONZERO, Choose, Domain, Law, Op, OperandKind, Shape, Signature
from conformance.ops import laws
from conformance.ops.dispatch import dispatched
from conformance.ops.elementwise import nonzero
from conformance.ops.rows import general, linear, over, sign_of, size_of
from conformance.ops.traits import (
    HOLOMORPHIC,
    ORDER_INVARIANT,
    PIECEWISE_LINEAR,
    QUADRATIC,
    REAL_REFERENCE,
    REDUCTION,
    Homogeneous,
    Shift,
)

# -- axes ------------------------------------------------------------------------------------------


def named(axis: Any, ndim: int) -> Sequence[int]:
    """The axes that `axis` names, of `ndim`, as it counts them."""
    return range(ndim) if axis is None else (axis,) if isinstance(axis, int) else axis


def axes_of(shape: Shape, axis: Any) -> tuple[int, ...]:
    """The axes that `axis` names, counted from the front."""
    return tuple(a % len(shape) for a in named(axis, len(shape)))


def kept(reduced: Any, x: Any, axis: Any) -> Any:
    """A reduction of `x` with the reduced axes put back at size 1, so that it broadcasts against `x`."""
    shape = list(x.shape)
    for a in named(axis, x.ndim):
        shape[a] = 1
    return reduced.reshape(shape)


def count(x: Any, axis: Any) -> int:
    """How many entries of `x` each result sees."""
    return math.prod([x.shape[a] for a in named(axis, x.ndim)])


def spread(g: Any, x: Any, axis: Any) -> Any:
    """The cotangent of every result, copied to all the entries it sums over."""
    return np.broadcast_to(kept(g, x, axis), shape=x.shape)


def routed(g: Any, z: Any, x: Any, axis: Any) -> Any:
    """The cotangent of every result at the entries equal to it, shared equally among ties."""
    is_chosen = x == kept(z, x, axis)
    ties = np.sum(is_chosen, axis=axes_of(np.shape(x), axis), keepdims=True)
    return kept(g, x, axis) * (is_chosen / np.maximum(ties, 1)).astype(x.dtype)


# -- spread and size -------------------------------------------------------------------------------


def deviation(x: Any, axis: Any) -> Any:
    """How far every entry is from its mean."""
    return x - np.mean(x, axis=axis, keepdims=True)


def var_vjp(g: Any, z: Any, x: Any, axis: Any = None, keepdims: bool = False, correction: float = 0) -> Any:
    """g · 2(x − μ)/(n − correction)."""
    return over(kept(2 * g, x, axis) * deviation(x, axis), count(x, axis) - correction)


def std_vjp(g: Any, z: Any, x: Any, axis: Any = None, keepdims: bool = False, correction: float = 0) -> Any:
    """g · (x − μ)/(z (n − correction)), 0 where no entry deviates."""
    return over(kept(g / nonzero(z), x, axis) * deviation(x, axis), count(x, axis) - correction)


def norm_of(size: Any, axis: Any, ord: float) -> Any:
    """The norm of entries of these sizes, along axes that stay; analytic, where a complex step goes through it."""
    if size.dtype.kind != "c":
        return np.linalg.vector_norm(size, axis=axis, keepdims=True, ord=ord)
    root = (
        np.finfo(size.dtype).dtype.type(1) / ord
    )  # in extended precision a third has more digits than Python's
    return np.sum(size**ord, axis=axis, keepdims=True) ** root


def vector_norm_vjp(g: Any, z: Any, x: Any, axis: Any = None, keepdims: bool = False, ord: float = 2) -> Any:
    """g · sign x (|x|/z)ᵖ⁻¹, the quotient taken at a scale at which no power overflows or vanishes.

    Of an infinite order it is g · sign x at the entry of the largest size, or of the smallest.
    """
    size = size_of(x)
    if math.isinf(ord):
        pick = np.max if ord > 0 else np.min
        return sign_of(x) * routed(g, pick(size, axis=axis, keepdims=True), size, axis)
    scale = nonzero(np.max(np.real(size), axis=axis, keepdims=True))
    if ord == 2:  # sign x |x| is x, and |x|² is x², whose derivatives are not lost at 0
        return kept(g, x, axis) * (x / scale / nonzero(norm_of(x / scale, axis, ord)))
    size = size / scale
    whole = norm_of(size, axis, ord)
    return kept(g, x, axis) * sign_of(x) * (size / nonzero(whole)) ** (ord - 1)


def ptp_vjp(g: Any, z: Any, x: Any, axis: Any = None, keepdims: bool = False) -> Any:
    """The maximum's rule minus the minimum's."""
    largest, smallest = np.max(x, axis=axis, keepdims=True), np.min(x, axis=axis, keepdims=True)
    return routed(g, largest, x, axis) - routed(g, smallest, x, axis)


# -- sums of exponentials --------------------------------------------------------------------------


def apart(x: Any, z: Any) -> Any:
    """x − z, which is 0 also where both are the same infinity."""
    return np.where(np.isinf(x) & (x == z), 0, x - z)


def logsumexp_vjp(g: Any, z: Any, x: Any, axis: Any = None, keepdims: bool = False) -> Any:
    """g · exp(x − z) over its sum, which is 1 but for the digits of z that a large x takes."""
    shares = np.exp(apart(x, kept(z, x, axis)))
    return kept(g, x, axis) * shares / np.sum(shares, axis=axis, keepdims=True)


# -- products, correct where entries are zero ------------------------------------------------------


def rows_of(x: Any, axis: Any) -> Any:
    """`x` with the reduced axes last and merged into one."""
    axes = axes_of(np.shape(x), axis)
    free = tuple(a for a in range(np.ndim(x)) if a not in axes)
    arranged = np.transpose(x, axes=free + axes)
    return np.reshape(arranged, shape=(*(np.shape(x)[a] for a in free), count(x, axis)))


def unrows(rows: Any, x: Any, axis: Any) -> Any:
    """The inverse of `rows_of`: back to the shape of `x`."""
    axes = axes_of(np.shape(x), axis)
    order = tuple(a for a in range(np.ndim(x)) if a not in axes) + axes
    arranged = np.reshape(rows, shape=tuple(np.shape(x)[a] for a in order))
    return np.transpose(arranged, axes=tuple(int(a) for a in np.argsort(order)))


def products_of_others(rows: Any) -> Any:
    """For each entry of a row, the product of all the others."""
    is_self = np.eye(np.shape(rows)[-1], dtype=bool)
    return np.prod(np.where(is_self, 1, np.expand_dims(rows, axis=-2)), axis=-1)


def prod_vjp(g: Any, z: Any, x: Any, axis: Any = None, keepdims: bool = False) -> Any:
    """z/xᵢ without dividing."""
    return kept(g, x, axis) * unrows(products_of_others(rows_of(x, axis)), x, axis)


# -- references NumPy lacks ------------------------------------------------------------------------


@dispatched
def logsumexp(x: Any, *, axis: Any = None, keepdims: bool = False) -> Any:
    """log Σ exp x, shifted by the largest real part, if it is a number, so that nothing overflows."""
    largest = np.max(np.real(x), axis=axis, keepdims=True)
    shift = np.where(np.isfinite(largest), largest, np.zeros_like(largest))
    result = shift + np.log(np.sum(np.exp(x - shift), axis=axis, keepdims=True))
    axes = axes_of(np.shape(x), axis)
    return result if keepdims else np.squeeze(result, axis=axes)[()]


# -- laws ------------------------------------------------------------------------------------------


# Shapes for reductions with parameters of their own, which cross with them.
SPREAD: tuple[Shape, ...] = (
    *((3,), (2, 3), (3, 3), (2, 1, 3), (3, 3, 3), (5,), (7, 2), (3, 1), (0, 3), (2, 0, 3)),
    *((2, 1, 3, 2), (1, 2, 1, 3, 2), (2, 1, 2, 3, 1, 2), (16,), (33,), (2, 65), (129, 2), (1025,)),
    *laws.LONG_ROWS,
)  # fmt: skip
# Entries: products of all others cost a power of their count, and long ones overflow. Some are more than a block.
FEW = laws.up_to(33)
SOME = (*FEW, (131,), (2, 67))
MANY: Shape = (65537,)  # more than half precision can count


def several_entries(least: int, shapes: Sequence[Shape] = (*SPREAD, (1, 1))) -> Law:
    """A reduction that sees at least `least` entries per result."""
    shapes = [shape for shape in shapes if 0 in shape or math.prod(shape) >= least]

    def law(choose: Choose) -> Signature:
        shape = choose(shapes)
        fitting = [a for a in laws.axis_forms(shape) if count(np.empty(shape), a) >= least]
        return Signature((shape,), {"axis": choose(fitting), "keepdims": choose((False, True))})

    return law


def corrected(choose: Choose, shapes: Sequence[Shape] = SPREAD) -> Signature:
    """A reduction of more entries than the correction takes off their number."""
    reduction = several_entries(2, shapes)(choose)
    n = count(np.empty(reduction.shapes[0]), reduction.parameters["axis"])
    correction = choose([c for c in (0, 1, 0.3, 2) if c < n])
    return Signature(reduction.shapes, {**reduction.parameters, "correction": correction})


def norm(choose: Choose) -> Signature:
    """A reduction to a norm; the largest or smallest size is one entry's alone.

    There is no order 0, which counts entries: its gradient is 0 and its degree is not 1.
    """
    order = choose((2, 1, 3, 0.5, 1.5, 2.3, math.inf, -math.inf))
    reduction = several_entries(1)(choose)
    kind = OperandKind.DISTINCT if math.isinf(order) else OperandKind.REAL
    domains = (Domain(kinks=(0.0,), kind=kind),)
    return Signature(reduction.shapes, {**reduction.parameters, "ord": order}, domains)


def odd_count(choose: Choose) -> Signature:
    """A reduction that sees an odd number of entries, so that there is one in the middle."""
    odd = ((2, 3), (3, 1), (1, 3, 3), (3, 3, 3), (2, 1, 3, 2), (1, 5, 1, 1, 3), (2, 1, 3, 1, 1, 1), (1, 1))
    shape = choose(
        ((3,), (5,), (3, 3), (7,), (9,), (33,), (2, 17), (65,), (129,), (1025,), *laws.LONG_ROWS, *odd)
    )
    axis = choose([a for a in laws.axis_forms(shape) if a != () and count(np.empty(shape), a) % 2])
    return Signature((shape,), {"axis": axis, "keepdims": choose((False, True))})


ENTRIES = laws.reduction(needs_entries=True)
MANY_ENTRIES = laws.reduction((*laws.SHAPES, *laws.LONG_ROWS, MANY), needs_entries=True)


# -- sums and means --------------------------------------------------------------------------------

SUMS = (
    linear("sum", np.sum, lambda g, x, axis=None, keepdims=False: spread(g, x, axis),
        formula="x̄ᵢ = g", source="linear; the transpose of summing is copying",
        law=laws.reduction((*laws.SHAPES, *laws.LONG_ROWS, MANY)), traits={REDUCTION, HOLOMORPHIC, ORDER_INVARIANT}),
    linear("mean", np.mean,
        lambda g, x, axis=None, keepdims=False: over(spread(g, x, axis), max(count(x, axis), 1)),
        formula="x̄ᵢ = g / n", source="the sum over n", law=MANY_ENTRIES,
        traits={REDUCTION, HOLOMORPHIC, Shift(1), ORDER_INVARIANT}),
    general("prod", np.prod, prod_vjp,
        formula="x̄ᵢ = g · Π_{j≠i} xⱼ",
        source="product rule; the others' product instead of z/xᵢ, so that zeros are exact",
        law=laws.reduction(SOME), traits={REDUCTION, HOLOMORPHIC, ORDER_INVARIANT}),
    general("logsumexp", logsumexp, logsumexp_vjp,
        formula="x̄ᵢ = g · exp(xᵢ − z)", source="eᶻ = Σ eˣⁱ differentiated", law=MANY_ENTRIES,
        traits={REDUCTION, HOLOMORPHIC, Shift(1), ORDER_INVARIANT}),
    general("var", np.var, var_vjp,
        formula="x̄ᵢ = g · 2(xᵢ − μ) / (n − correction)",
        source="chain rule; the mean's own term vanishes since Σ(xᵢ − μ) = 0",
        law=corrected,
        traits={QUADRATIC, REDUCTION, Homogeneous(2), Shift(0), ORDER_INVARIANT}),
    general("std", np.std, std_vjp,
        formula="x̄ᵢ = g · (xᵢ − μ) / (z (n − correction))", source="z² = var differentiated: 2z dz = d var",
        domains=[DISTINCT], law=corrected,
        traits={REDUCTION, REAL_REFERENCE, Homogeneous(1), Shift(0), ORDER_INVARIANT}),
    general("vector_norm", np.linalg.vector_norm, vector_norm_vjp,
        formula="x̄ᵢ = g · sign xᵢ (|xᵢ| / z)ᵖ⁻¹",
        source="zᵖ = Σ|xᵢ|ᵖ differentiated, or its limit; 0 at the origin, one of its subgradients",
        domains=[NONZERO], law=norm,
        traits={REDUCTION, Homogeneous(1), ORDER_INVARIANT}),
)  # fmt: skip


# -- order statistics ------------------------------------------------------------------------------

ORDER = (
    general("max", np.max, lambda g, z, x, axis=None, keepdims=False: routed(g, z, x, axis),
        formula="x̄ᵢ = g where xᵢ = z, else 0", source="routes to the largest entry; ties share equally",
        domains=[DISTINCT], law=ENTRIES,
        traits={REDUCTION, PIECEWISE_LINEAR, Homogeneous(1), Shift(1), ORDER_INVARIANT}, aliases=("amax",)),
    general("min", np.min, lambda g, z, x, axis=None, keepdims=False: routed(g, z, x, axis),
        formula="x̄ᵢ = g where xᵢ = z, else 0", source="routes to the smallest entry; ties share equally",
        domains=[DISTINCT], law=ENTRIES,
        traits={REDUCTION, PIECEWISE_LINEAR, Homogeneous(1), Shift(1), ORDER_INVARIANT}, aliases=("amin",)),
    general("ptp", np.ptp, ptp_vjp,
        formula="x̄ᵢ = g where xᵢ is largest, −g where smallest, else 0",
        source="maximum minus minimum; ties share equally",
        domains=[DISTINCT], law=ENTRIES,
        traits={REDUCTION, PIECEWISE_LINEAR, Homogeneous(1), Shift(0), ORDER_INVARIANT}),
    general("median", np.median, lambda g, z, x, axis=None, keepdims=False: routed(g, z, x, axis),
        formula="x̄ᵢ = g where xᵢ = z, else 0", source="routes to the middle entry of an odd number",
        domains=[DISTINCT], law=odd_count,
        traits={REDUCTION, PIECEWISE_LINEAR, Homogeneous(1), Shift(1), ORDER_INVARIANT}),
)  # fmt: skip

ROWS: tuple[Op, ...] = SUMS + ORDER
