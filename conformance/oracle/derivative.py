"""Directional derivatives of a reference, found without its rule.

There are two methods. The complex step (Squire and Trapp 1998) is exact to rounding, but needs an analytic
function that takes complex operands; whether a reference is one is measured, not declared. Central
differences in extended precision with Ridders' extrapolation (1982) serve every other reference, and
estimate their own error.
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
TINY = REAL(1e-30)  # its square is negligible beside 1, and dividing by it loses nothing
NEARNESS = 1e-4  # relative distance of the two quotients of an analytic function; for others it is about 1
# Long steps keep rounding small where a slope is small beside the value. Short ones are for a singularity
# nearer than the operands' own domains state, such as |x - t| = δ.
STEPS = tuple(2.0**-k for k in (-2, -1, 0, 2, 5, 8, 12, 16, 20))
ENOUGH = 1e-14  # error relative to the largest slope at which no shorter step is tried
ONE_SIDED_STEP = 2.0**-20  # where the slopes on the two sides are measured
ROWS = 5  # of Ridders' table: each halves the step


@dataclass(frozen=True)
class Slope:
    """A directional derivative of all outputs with an estimate of its error.

    `truncation` estimates how far the extrapolation is from convergence, `rounding` the effect of rounding in
    a difference. Two entries of a table may agree because they are rounded alike, so both parts are compared.
    """

    value: Array
    truncation: Array
    rounding: Array

    @property
    def error(self) -> Array:
        """The estimated error, both parts together."""
        return self.truncation + self.rounding

    def or_better(self, other: Slope) -> Slope:
        """Entry by entry the one with the smaller estimated error."""
        is_better = other.error < self.error
        pairs = zip(
            (self.value, self.truncation, self.rounding),
            (other.value, other.truncation, other.rounding),
            strict=True,
        )
        return Slope(*(np.where(is_better, there, here) for here, there in pairs))

    def compared_with(self, other: Slope) -> Slope:
        """The same with the distance to another step's slope as error: entries of one table may agree by chance."""
        distance = np.abs(self.value - other.value) - 8 * (self.rounding + other.rounding)
        beyond = np.where(np.isfinite(distance), distance - other.truncation, np.inf)
        return Slope(self.value, np.maximum(self.truncation, beyond), self.rounding)


def complex_step(function: Function, x: Array, v: Array) -> Slope:
    """The derivative at `x` along `v` as Im f(x + ihv)/h; no difference is taken, so no digits cancel."""
    value = function(x + 1j * (TINY * v)).imag / TINY
    return Slope(value, np.zeros_like(value), np.zeros_like(value))


def is_analytic(function: Function, x: Array, v: Array) -> bool:
    """Whether `function` takes complex operands and is analytic at `x` along `v`.

    By the Cauchy-Riemann equations the derivative along iv is i times the one along v. A reference that
    takes an absolute value, a conjugate or a real part violates them.
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
    size = max(np.abs(plain).max(initial=1.0), np.abs(x).max(initial=1.0))  # of intermediate results, too
    if same.dtype.kind != "c" or not (np.abs(plain - same) <= 1e-15 * size).all():
        return False
    rounding = 64 * np.finfo(REAL).eps * size / h  # a slope below it decides nothing
    return bool((np.abs(along - across) <= NEARNESS * np.abs(along).max(initial=0.0) + rounding).all())


def _refined(function: Function, x: Array, step: Array) -> Array:
    """The central difference along `step`, its error of second order removed."""
    coarse = (function(x + step) - function(x - step)) / 2
    fine = function(x + step / 2) - function(x - step / 2)
    return np.asarray((4 * fine - coarse) / 3)


def extended_differences(function: Function, x: Array, v: Array, max_step: float = np.inf) -> Slope:
    """The derivative at `x` along `v`, entry by entry from the step with the smallest estimated error.

    No step is as long as `max_step`: beyond it are a kink, a tie or the end of the domain.
    """
    fitting = [step for step in STEPS if step < max_step]
    previous, *shorter = fitting if len(fitting) > 1 else [max_step / 2, max_step / 8]
    best, slope = None, ridders(function, x, v, REAL(previous))
    for step in shorter:
        following = ridders(function, x, v, REAL(step))
        checked = slope.compared_with(following)
        best = best.or_better(checked) if best else checked
        if (best.error <= ENOUGH * np.abs(best.value).max(initial=0.0)).all():
            break
        slope = following
    assert best is not None  # there are at least two steps
    return best


def tangent(function: Function, x: Array, v: Array) -> Slope:
    """The derivative at real or complex `x` along `v` of a function that need not be holomorphic: linear in `v` over the reals.

    At a kink its error is the jump.
    """
    found = ridders(function, x, v, REAL(STEPS[-2]))
    return Slope(found.value, found.truncation + slope_jump(function, x, v), found.rounding)


def slope_jump(function: Function, x: Array, v: Array, max_step: float = np.inf) -> Array:
    """By how much the slopes on the two sides of `x` differ, beyond what curvature and rounding explain.

    Zero where the function is smooth; at a kink the distance of its two slopes, which a central difference averages.
    """
    h = REAL(min(max_step / 4, ONE_SIDED_STEP))
    here = function(x)
    wide, narrow = ((function(x + k * v) - 2 * here + function(x - k * v)) / k for k in (h, h / 2))
    beyond = np.abs(2 * narrow - wide) - 64 * np.finfo(REAL).eps * np.abs(here) / h
    return np.where(np.isfinite(beyond), np.maximum(beyond, 0), np.inf)


def ridders(function: Function, x: Array, v: Array, step: Any) -> Slope:
    """Ridders' method: the entry of Neville's table of central differences with the smallest estimated error.

    Column k of row j has no error terms up to the step's power 2k. Its distance from the entries that it was
    computed from estimates the next term.
    """
    size = np.finfo(REAL).eps * np.abs(function(x))
    table: list[list[Array]] = []
    best: Slope | None = None
    for j in range(ROWS):
        h = step / 2**j
        row = [(function(x + h * v) - function(x - h * v)) / (2 * h)]
        for k in range(1, j + 1):
            row.append(row[-1] + (row[-1] - table[-1][k - 1]) / (4**k - 1))
            truncation = np.maximum(np.abs(row[k] - row[k - 1]), np.abs(row[k] - table[-1][k - 1]))
            truncation = np.where(np.isfinite(truncation), truncation, np.inf)  # the step left the domain
            entry = Slope(row[k], truncation, size / h)
            best = best.or_better(entry) if best else entry
        table.append(row)
    assert best is not None  # there are at least two rows
    return best
