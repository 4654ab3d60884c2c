"""Directional derivatives of a reference, found without its rule.

Two oracles. The complex step (Squire and Trapp 1998) is exact to rounding, but asks for an analytic
function that takes complex operands; whether a reference is one is tried, not declared. Central
differences in extended precision with Ridders' extrapolation (1982) serve every other reference, and
say themselves how far off they may be.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.exceptions import ComplexWarning

Array = np.ndarray[Any, Any]
Function = Callable[[Array], Array]  # one operand to all outputs, flattened and joined

REAL, COMPLEX = np.longdouble, np.clongdouble
TINY = REAL(1e-30)  # its square is nothing beside 1, and it divides out exactly enough
NEARNESS = 1e-4  # of two difference quotients of an analytic function; of others they differ like 1
# Long steps drown the rounding of a slope that is small beside its value. Short ones are for a
# singularity nearer than the operands' own domains tell, such as |x - t| = δ.
STEPS = tuple(2.0**-k for k in (-2, -1, 0, 2, 5, 8, 12, 16, 20))
ENOUGH = 1e-14  # risk beside the largest slope at which no shorter step is tried
BESIDE = 2.0**-20  # where the slopes on two sides are taken
ROWS = 5  # of Ridders' table: each halves the step


@dataclass(frozen=True)
class Slope:
    """A directional derivative of all outputs, and what may be wrong with it.

    `doubt` is how far the extrapolation has not converged, `rounding` how much of the value may be the
    rounding of a difference. Two entries of a table may agree by being rounded alike, so both choose
    among them.
    """

    value: Array
    doubt: Array
    rounding: Array

    @property
    def risk(self) -> Array:
        """By which the better of two is chosen."""
        return self.doubt + self.rounding

    def or_surer(self, other: Slope) -> Slope:
        """Entry by entry the one of less risk."""
        is_surer = other.risk < self.risk
        pairs = zip(
            (self.value, self.doubt, self.rounding), (other.value, other.doubt, other.rounding), strict=True
        )
        return Slope(*(np.where(is_surer, there, here) for here, there in pairs))

    def confirmed_by(self, other: Slope) -> Slope:
        """With the doubt that another step casts: neighbours in one table may agree by chance."""
        distance = np.abs(self.value - other.value) - 8 * (self.rounding + other.rounding)
        beyond = np.where(np.isfinite(distance), distance - other.doubt, np.inf)
        return Slope(self.value, np.maximum(self.doubt, beyond), self.rounding)


def complex_step(function: Function, x: Array, v: Array) -> Slope:
    """The derivative at `x` along `v` as Im f(x + ihv)/h; no difference is taken, so none cancels."""
    value = function(x + 1j * (TINY * v)).imag / TINY
    return Slope(value, np.zeros_like(value), np.zeros_like(value))


def is_analytic(function: Function, x: Array, v: Array) -> bool:
    """Whether `function` takes complex operands and is analytic at `x`, as far as `v` can tell.

    The Cauchy-Riemann equations say that the derivative along iv is i times the one along v. A
    reference that takes an absolute value, a conjugate or a real part breaks them.
    """
    h = REAL(2.0**-18)  # shorter than the distance to any singularity nearby
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error", ComplexWarning)
            plain, same = function(x), function(x.astype(COMPLEX))
            along = _refined(function, x.astype(COMPLEX), h * v) / h
            across = _refined(function, x.astype(COMPLEX), 1j * (h * v)) / (1j * h)
    except (TypeError, ValueError, ComplexWarning):
        return False
    size = max(
        np.abs(plain).max(initial=1.0), np.abs(x).max(initial=1.0)
    )  # of what is rounded on the way, too
    if same.dtype.kind != "c" or not (np.abs(plain - same) <= 1e-15 * size).all():
        return False
    rounding = 64 * np.finfo(REAL).eps * size / h  # a slope below it cannot tell, and accuses nobody
    return bool((np.abs(along - across) <= NEARNESS * np.abs(along).max(initial=0.0) + rounding).all())


def _refined(function: Function, x: Array, step: Array) -> Array:
    """The central difference along `step`, its error of second order removed."""
    coarse = (function(x + step) - function(x - step)) / 2
    fine = function(x + step / 2) - function(x - step / 2)
    return np.asarray((4 * fine - coarse) / 3)


def extended_differences(function: Function, x: Array, v: Array, room: float = np.inf) -> Slope:
    """The derivative at `x` along `v`, entry by entry from the step that is surest of it.

    `room` is how far a step may go: beyond it are a kink, a tie or the end of the domain.
    """
    fitting = [step for step in STEPS if step < room]
    previous, *shorter = fitting if len(fitting) > 1 else [room / 2, room / 8]
    best, slope = None, ridders(function, x, v, REAL(previous))
    for step in shorter:
        following = ridders(function, x, v, REAL(step))
        judged = slope.confirmed_by(following)
        best = best.or_surer(judged) if best else judged
        if (best.risk <= ENOUGH * np.abs(best.value).max(initial=0.0)).all():
            break
        slope = following
    assert best is not None  # there are at least two steps
    return best


def jump(function: Function, x: Array, v: Array, room: float = np.inf) -> Array:
    """By how much the slopes on the two sides of `x` differ, beyond what bending and rounding explain.

    Nothing where the function is smooth; at a kink, whose two slopes a central difference only averages, their distance.
    """
    h = REAL(min(room / 4, BESIDE))
    here = function(x)
    wide, near = ((function(x + k * v) - 2 * here + function(x - k * v)) / k for k in (h, h / 2))
    beyond = np.abs(2 * near - wide) - 64 * np.finfo(REAL).eps * np.abs(here) / h
    return np.where(np.isfinite(beyond), np.maximum(beyond, 0), np.inf)


def ridders(function: Function, x: Array, v: Array, step: Any) -> Slope:
    """Neville's table of central differences: the entry that differs least from its neighbours.

    Column k of row j is free of the step's powers up to 2k; the distance to the entries it was made
    from estimates what the next power would still change.
    """
    size = np.finfo(REAL).eps * np.abs(function(x))
    table: list[list[Array]] = []
    best: Slope | None = None
    for j in range(ROWS):
        h = step / 2**j
        row = [(function(x + h * v) - function(x - h * v)) / (2 * h)]
        for k in range(1, j + 1):
            row.append(row[-1] + (row[-1] - table[-1][k - 1]) / (4**k - 1))
            doubt = np.maximum(np.abs(row[k] - row[k - 1]), np.abs(row[k] - table[-1][k - 1]))
            doubt = np.where(np.isfinite(doubt), doubt, np.inf)  # the step left the domain
            entry = Slope(row[k], doubt, size / h)
            best = best.or_surer(entry) if best else entry
        table.append(row)
    assert best is not None  # there are at least two rows
    return best
