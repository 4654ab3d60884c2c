"""Sums, means and extremes of what are numbers: a NaN is left out, and its gradient is 0."""

from __future__ import annotations

from typing import Any

import numpy as np

from conformance.op import DISTINCT, Op
from conformance.ops import laws
from conformance.ops.dispatch import dispatched
from conformance.ops.reductions import ENTRIES, SPREAD, axes_of, corrected, kept, routed, several_entries
from conformance.ops.rows import elementwise, general
from conformance.ops.traits import (
    COMMUTATIVE,
    ORDER_INVARIANT,
    PIECEWISE_LINEAR,
    QUADRATIC,
    REAL_REFERENCE,
    REDUCTION,
    Homogeneous,
    Shift,
)

# -- rules -------------------------------------------------------------------------------------------


def nansum_vjp(g: Any, z: Any, x: Any, axis: Any = None, keepdims: bool = False) -> Any:
    """g at the entries that are numbers, 0 at the others."""
    return np.where(np.isnan(x), 0, kept(g, x, axis))


def nanmean_vjp(g: Any, z: Any, x: Any, axis: Any = None, keepdims: bool = False) -> Any:
    """The same over how many are numbers."""
    is_number = ~np.isnan(x)
    count = np.sum(is_number, axis=axes_of(np.shape(x), axis), keepdims=True).astype(x.dtype)
    return np.where(is_number, kept(g, x, axis) / count, 0)


# -- spread of what are numbers ----------------------------------------------------------------------


def deviations(x: Any, axis: Any) -> tuple[Any, Any]:
    """The differences from the mean of the numbers, 0 at the others, and how many numbers there are."""
    axes, is_number = axes_of(np.shape(x), axis), ~np.isnan(x)
    count = np.sum(is_number, axis=axes, keepdims=True).astype(np.real(x).dtype)
    numbers = np.where(is_number, x, 0)
    mean = np.sum(numbers, axis=axes, keepdims=True) / count
    return np.where(is_number, numbers - mean, 0), count


@dispatched
def nanvar(x: Any, *, axis: Any = None, keepdims: bool = False, correction: float = 0) -> Any:
    """The variance of the entries that are numbers."""
    differences, count = deviations(x, axis)
    axes = axes_of(np.shape(x), axis)
    result = np.sum(differences * differences, axis=axes, keepdims=True) / (count - correction)
    return result if keepdims else np.squeeze(result, axis=axes)[()]


@dispatched
def nanstd(x: Any, *, axis: Any = None, keepdims: bool = False, correction: float = 0) -> Any:
    """The root of the same."""
    return np.sqrt(nanvar(x, axis=axis, keepdims=keepdims, correction=correction))


def nanvar_vjp(
    g: Any, z: Any, x: Any, axis: Any = None, keepdims: bool = False, correction: float = 0
) -> Any:
    """2 (x − μ)/(n − correction) at the numbers."""
    differences, count = deviations(x, axis)
    return kept(g, x, axis) * 2 * differences / (count - correction)


def nanstd_vjp(
    g: Any, z: Any, x: Any, axis: Any = None, keepdims: bool = False, correction: float = 0
) -> Any:
    """(x − μ)/(z (n − correction)) at the numbers."""
    differences, count = deviations(x, axis)
    return kept(g, x, axis) * (differences / kept(z, x, axis)) / (count - correction)


def share(is_chosen: Any, x: Any, y: Any) -> Any:
    """1 where x is chosen or y is NaN, ½ at a tie, else 0."""
    return np.where(x == y, 0.5, is_chosen | np.isnan(y))


# -- rows --------------------------------------------------------------------------------------------

PAIRS: tuple[Op, ...] = (
    elementwise("fmax", np.fmax, lambda z, x, y: share(x > y, x, y), lambda z, x, y: share(y > x, y, x),
        formula="x̄ = g where x > y or y is NaN, g/2 where x = y, else 0",
        source="routes to the larger operand, or to the only number; a tie is shared equally",
        domains=[DISTINCT, DISTINCT],
        traits={COMMUTATIVE, PIECEWISE_LINEAR, Homogeneous(1, of=(0, 1)), Shift(1, of=(0, 1))}),
    elementwise("fmin", np.fmin, lambda z, x, y: share(x < y, x, y), lambda z, x, y: share(y < x, y, x),
        formula="x̄ = g where x < y or y is NaN, g/2 where x = y, else 0",
        source="routes to the smaller operand, or to the only number; a tie is shared equally",
        domains=[DISTINCT, DISTINCT],
        traits={COMMUTATIVE, PIECEWISE_LINEAR, Homogeneous(1, of=(0, 1)), Shift(1, of=(0, 1))}),
)  # fmt: skip

ROWS: tuple[Op, ...] = (
    general("nansum", np.nansum, nansum_vjp,
        formula="x̄ᵢ = g, 0 where xᵢ is NaN", source="the sum's rule on the entries that are numbers",
        law=laws.reduction((*SPREAD, (1, 1))), traits={REDUCTION, ORDER_INVARIANT, PIECEWISE_LINEAR, Homogeneous(1)}),
    general("nanmean", np.nanmean, nanmean_vjp,
        formula="x̄ᵢ = g / n, 0 where xᵢ is NaN, n the entries that are numbers",
        source="the mean's rule on the entries that are numbers", law=several_entries(1),
        traits={REDUCTION, ORDER_INVARIANT, PIECEWISE_LINEAR, Homogeneous(1), Shift(1)}),
    general("nanvar", nanvar, nanvar_vjp,
        formula="x̄ᵢ = g · 2(xᵢ − μ) / (n − correction), 0 where xᵢ is NaN", source="var's rule on the entries that are numbers",
        law=corrected, traits={QUADRATIC, REDUCTION, ORDER_INVARIANT, Homogeneous(2), Shift(0)}),
    general("nanstd", nanstd, nanstd_vjp,
        formula="x̄ᵢ = g · (xᵢ − μ) / (z (n − correction)), 0 where xᵢ is NaN",
        source="std's rule on the entries that are numbers", domains=[DISTINCT],
        law=corrected, traits={REDUCTION, ORDER_INVARIANT, REAL_REFERENCE, Homogeneous(1), Shift(0)}),
    general("nanmax", np.nanmax, lambda g, z, x, axis=None, keepdims=False: routed(g, z, x, axis),
        formula="x̄ᵢ = g where xᵢ = z, else 0", source="routes to the largest number; ties share equally",
        domains=[DISTINCT], law=ENTRIES,
        traits={REDUCTION, PIECEWISE_LINEAR, Homogeneous(1), Shift(1), ORDER_INVARIANT}),
    general("nanmin", np.nanmin, lambda g, z, x, axis=None, keepdims=False: routed(g, z, x, axis),
        formula="x̄ᵢ = g where xᵢ = z, else 0", source="routes to the smallest number; ties share equally",
        domains=[DISTINCT], law=ENTRIES,
        traits={REDUCTION, PIECEWISE_LINEAR, Homogeneous(1), Shift(1), ORDER_INVARIANT}),
)  # fmt: skip
