"""Phases without jumps, and lines between tabulated points."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from conformance.op import REAL, Choose, Domain, Op, Shape, Signature
from conformance.ops import laws
from conformance.ops.dispatch import dispatched
from conformance.ops.indexing import getitem, scatter_add
from conformance.ops.rows import general
from conformance.ops.traits import (
    HOLOMORPHIC,
    PIECEWISE_LINEAR,
    QUADRATIC,
    Shift,
)

# -- phases ------------------------------------------------------------------------------------------


@dispatched
def unwrap(x: Any, *, axis: int, period: float) -> Any:
    """`x` with whole periods added, so that no step along the axis is more than half of one."""
    real = np.real(x)
    periods = np.rint((np.unwrap(real, axis=axis, period=period) - real) / period)
    return x + (periods * period).astype(real.dtype)


def unwrapping(choose: Choose) -> Signature:
    """One operand of few entries, an axis, and the period: of many entries some are beside a jump."""
    signature = laws.along_one_axis([shape for shape in laws.up_to(40) if shape])(choose)
    # No difference of multiples of 1/8, as operands may be, is half a period more than whole ones.
    return Signature(signature.shapes, {**signature.parameters, "period": choose((2 * math.pi, 1.07, 3.3))})


# -- lines between points ----------------------------------------------------------------------------

POINTS = [-2.0, -0.5, 0.25, 1.5]


def beside(x: Any, xp: list[float]) -> tuple[Any, Any]:
    """The number of the point below each place, or of the first or the last line's; and how far the place is along the line."""
    points = np.asarray(xp, np.real(x).dtype)
    below = np.clip(np.searchsorted(points, np.real(x), side="right") - 1, 0, len(xp) - 2)
    return below, (x - points[below]) / (points[below + 1] - points[below])


def ends(x: Any, xp: list[float]) -> tuple[Any, Any]:
    """Whether a place is before the first point, and whether it is behind the last."""
    return np.real(x) < xp[0], np.real(x) > xp[-1]


@dispatched
def interp(x: Any, fp: Any, *, xp: list[float], left: float | None, right: float | None) -> Any:
    """The lines between the points (xp, fp) at x; before the first and behind the last point their values, or the numbers."""
    (below, along), (is_before, is_behind) = beside(x, xp), ends(x, xp)
    between = (1 - along) * fp[below] + along * fp[below + 1]
    before, behind = (fp[0] if left is None else left), (fp[-1] if right is None else right)
    return np.where(is_before, before, np.where(is_behind, behind, between)).astype(between.dtype)


def interp_places(
    g: Any, z: Any, x: Any, fp: Any, xp: list[float], left: float | None, right: float | None
) -> Any:
    """The slope of the line, 0 beyond the points."""
    (below, _), (is_before, is_behind) = beside(x, xp), ends(x, xp)
    widths = np.asarray(np.diff(xp), np.real(x).dtype)
    slopes = (getitem(fp, index=(below + 1,)) - getitem(fp, index=(below,))) / widths[below]
    return np.where(is_before | is_behind, 0, g * slopes)


def interp_values(
    g: Any, z: Any, x: Any, fp: Any, xp: list[float], left: float | None, right: float | None
) -> Any:
    """The shares of the points on both sides; beyond the points one end has all, or nothing has."""
    (below, along), (is_before, is_behind) = beside(x, xp), ends(x, xp)
    before, behind = (g if number is None else 0 for number in (left, right))
    lower = np.where(is_behind, 0, np.where(is_before, before, (1 - along) * g))
    upper = np.where(is_before, 0, np.where(is_behind, behind, along * g))
    shape = np.shape(fp)
    return scatter_add(lower, index=(below,), shape=shape) + scatter_add(
        upper, index=(below + 1,), shape=shape
    )


def interpolating(choose: Choose) -> Signature:
    """Places among the points and beyond them, the points' values, and the numbers beyond."""
    shape: Shape = choose(tuple(s for s in laws.SHAPES if s not in ((1025,),)))
    parameters = {"xp": POINTS, "left": choose((None, -1.3)), "right": choose((None, 2.2))}
    return Signature((shape, (len(POINTS),)), parameters)


ALONG = Domain(low=-4.0, high=3.0, kinks=tuple(POINTS))

# -- rows --------------------------------------------------------------------------------------------

ROWS: tuple[Op, ...] = (
    general("unwrap", unwrap, lambda g, z, x, axis, period: g,
        formula="x̄ = g", source="x plus whole periods, whose number is locally constant", law=unwrapping,
        traits={PIECEWISE_LINEAR, Shift(1)}),
    general("interp", interp, interp_places, interp_values,
        formula="x̄ = g Δf/Δx, 0 beyond the points; f̄ += (1 − t) g below, t g above",
        source="the slope of a line, and its transpose", domains=[ALONG, REAL], law=interpolating,
        traits={QUADRATIC, HOLOMORPHIC}),
)  # fmt: skip
