"""Curves known at some places: the area below them, their slopes, their powers, and one weighted by another."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np

from conformance.op import Choose, Op, Shape, Signature
from conformance.ops import laws
from conformance.ops.dispatch import dispatched
from conformance.ops.indexing import getitem, scatter_add
from conformance.ops.joining import stack
from conformance.ops.rows import general, linear, unbroadcast
from conformance.ops.traits import HOLOMORPHIC, QUADRATIC, Homogeneous, Shift

LAST = -1  # the axis along which a curve is taken while it is computed with

# -- the area ----------------------------------------------------------------------------------------


def along_last(y: Any, x: Any, axis: int) -> tuple[Any, Any]:
    """Values and places with the axis of the curve last; places of one axis are those of every curve."""
    x = x if np.ndim(x) == 1 else np.moveaxis(x, source=axis, destination=LAST)
    return np.moveaxis(y, source=axis, destination=LAST), x


def without_first(a: Any) -> Any:
    """All entries of the last axis but the first."""
    return getitem(a, index=(Ellipsis, slice(1, None)))


def without_last(a: Any) -> Any:
    """All entries of the last axis but the last."""
    return getitem(a, index=(Ellipsis, slice(None, -1)))


def with_zero(a: Any, before: int) -> Any:
    """A zero before the entries of the last axis, or behind them."""
    return np.pad(a, pad_width=[*[(0, 0)] * (np.ndim(a) - 1), (before, 1 - before)])


@dispatched
def trapezoid(y: Any, x: Any, *, axis: int) -> Any:
    """Σ (xᵢ₊₁ − xᵢ)(yᵢ₊₁ + yᵢ)/2 along the axis, x being the places, of every curve or of each."""
    y, x = along_last(y, x, axis)
    return np.sum((without_first(x) - without_last(x)) * (without_first(y) + without_last(y)) / 2, axis=LAST)


def area_by_values(g: Any, z: Any, y: Any, x: Any, axis: int) -> Any:
    """Each value has half the width on either side."""
    _, places = along_last(y, x, axis)
    widths = without_first(places) - without_last(places)
    share = np.expand_dims(g, axis=LAST) * (with_zero(widths, 0) + with_zero(widths, 1)) / 2
    return np.moveaxis(share, source=LAST, destination=axis)


def area_by_places(g: Any, z: Any, y: Any, x: Any, axis: int) -> Any:
    """Each place widens the part before it, and narrows the one behind it."""
    values, _ = along_last(y, x, axis)
    heights = np.expand_dims(g, axis=LAST) * (without_first(values) + without_last(values)) / 2
    share = with_zero(heights, 1) - with_zero(heights, 0)
    return (
        unbroadcast(share, np.shape(x))
        if np.ndim(x) == 1
        else np.moveaxis(share, source=LAST, destination=axis)
    )


def areas(choose: Choose) -> Signature:
    """Curves of at least one place along an axis of either sign, and places of all or of each."""
    shape = choose(CURVES)
    axis = choose([axis for axis in range(-len(shape), len(shape)) if shape[axis]])
    return Signature((shape, choose((shape, (shape[axis],)))), {"axis": axis})


# -- slopes ------------------------------------------------------------------------------------------


@dispatched
def central_diff(x: Any, *, spacing: float, axis: int, edge_order: Literal[1, 2]) -> Any:
    """Central differences along the axis, over so much twice; at the ends one-sided ones of this order."""
    return np.gradient(x, spacing, axis=axis, edge_order=edge_order)


def central_diff_transposed(g: Any, x: Any, spacing: float, axis: int, edge_order: Literal[1, 2]) -> Any:
    """gᵀ D, D the matrix of the differences: the differences of the unit vectors."""
    unit = np.eye(np.shape(x)[axis], dtype=x.dtype)
    differences = np.gradient(unit, spacing, axis=0, edge_order=edge_order)
    back = np.matmul(np.moveaxis(g, source=axis, destination=LAST), differences)
    return np.moveaxis(back, source=LAST, destination=axis)


def differences(choose: Choose) -> Signature:
    """Curves of more places than the order at the ends needs."""
    shape = choose(tuple(s for s in CURVES if s))
    order = choose((1, 2))
    axes = [axis for axis in range(-len(shape), len(shape)) if shape[axis] > order]
    parameters = {"spacing": choose((1.0, 0.3, 2.0)), "axis": choose(axes), "edge_order": order}
    return Signature((shape,), parameters)


# -- powers ------------------------------------------------------------------------------------------


def powers(x: Any, n: int) -> list[Any]:
    """1, x, x² and so on, so many."""
    found = [x * 0 + 1]
    for _ in range(n - 1):
        found.append(found[-1] * x)
    return found


@dispatched
def vander(x: Any, *, n: int, increasing: bool) -> Any:
    """The matrix of the powers of each place, up to n − 1, the highest first or last."""
    return np.stack(powers(x, n)[:: 1 if increasing else -1], axis=LAST)


def vander_vjp(g: Any, z: Any, x: Any, n: int, increasing: bool) -> Any:
    """Σₖ gₖ k xᵏ⁻¹."""
    slopes = [0 * x, *(k * power for k, power in enumerate(powers(x, n - 1), 1) if k < n)]
    return np.sum(g * stack(*slopes[:: 1 if increasing else -1], axis=LAST), axis=LAST)


# -- one curve weighted by another -------------------------------------------------------------------


def overlap(count: int, other: int, mode: str) -> tuple[int, int]:
    """The first entry of the whole convolution that a mode keeps, and how many."""
    few, many = sorted((count, other))
    if mode == "full":
        return 0, count + other - 1
    return ((few - 1) // 2, many) if mode == "same" else (few - 1, many - few + 1)


@dispatched
def convolve(x: Any, y: Any, *, mode: str) -> Any:
    """zₖ = Σᵢ xᵢ yₖ₋ᵢ, for all k, for as many as the longer operand has, or where the shorter one lies within it."""
    start, kept = overlap(len(x), len(y), mode)
    sums = np.arange(len(x))[:, None] + np.arange(len(y))
    whole = scatter_add(np.outer(x, y), index=(sums,), shape=(len(x) + len(y) - 1,))
    return whole[start : start + kept]


def correlated(g: Any, y: Any, count: int, mode: str) -> Any:
    """Σⱼ gᵢ₊ⱼ yⱼ for so many i: what the mode did not keep has no cotangent."""
    other = np.shape(y)[0]
    start, kept = overlap(count, other, mode)
    whole = np.pad(g, pad_width=[(start, count + other - 1 - start - kept)])
    return np.matmul(getitem(whole, index=(np.arange(count)[:, None] + np.arange(other),)), y)


# -- laws and rows -----------------------------------------------------------------------------------

CURVES: tuple[Shape, ...] = (
    *((4,), (2, 3), (3, 3), (3,), (3, 3, 3), (2, 1, 3), (5, 7), (1, 3), (0, 3), (2, 1, 3, 2), (1, 2, 1, 3, 2)),
    *((33,), (17, 2), (2, 65), (7, 2, 3), (4, 1)),
)  # fmt: skip
POINTS = tuple((n,) for n in (3, 1, 2, 5, 0, 17, 33, 129))
LENGTHS = (
    *(((4,), (3,)), ((3,), (4,)), ((3,), (3,)), ((1,), (1,)), ((5,), (1,)), ((1,), (4,)), ((5,), (2,))),
    *(((2,), (7,)), ((33,), (4,)), ((17,), (17,)), ((3,), (65,)), ((129,), (2,))),
)

ROWS: tuple[Op, ...] = (
    general("trapezoid", trapezoid, area_by_values, area_by_places,
        formula="ȳᵢ = g (xᵢ₊₁ − xᵢ₋₁)/2, x̄ᵢ = g (yᵢ₋₁ − yᵢ₊₁)/2; at the ends one-sided",
        source="linear in the values, and in the places", law=areas, aliases=("trapz",),
        traits={QUADRATIC, HOLOMORPHIC, Homogeneous(1), Homogeneous(1, of=(1,)), Homogeneous(2, of=(0, 1))}),
    linear("central_diff", central_diff, central_diff_transposed,
        formula="x̄ = gᵀ D, D the matrix of differences", source="linear; Fornberg 1988, table 1 and 2: the differences",
        law=differences, traits={HOLOMORPHIC, Shift(0)}),
    general("vander", vander, vander_vjp,
        formula="x̄ᵢ = Σₖ gᵢₖ k xᵢᵏ⁻¹", source="the slope of each power",
        law=laws.shapes_of(*((s,) for s in POINTS), n=(3, 2, 4, 5), increasing=(False, True)), traits={HOLOMORPHIC}),
    general("convolve", convolve,
        lambda g, z, x, y, mode: correlated(g, y, np.shape(x)[0], mode),
        lambda g, z, x, y, mode: correlated(g, x, np.shape(y)[0], mode),
        formula="x̄ᵢ = Σₖ gₖ yₖ₋ᵢ, ȳⱼ = Σₖ gₖ xₖ₋ⱼ", source="bilinear; the transposes are correlations",
        law=laws.shapes_of(*LENGTHS, mode=("full", "same", "valid")),
        traits={QUADRATIC, HOLOMORPHIC, Homogeneous(1), Homogeneous(1, of=(1,)), Homogeneous(2, of=(0, 1))}),
)  # fmt: skip
