"""The normal distribution: its probabilities, their logarithms and quantiles, and the scaled error function.

All are made of the error function in the next wider precision, and rounded once.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from conformance.op import UNIT, Domain, Op
from conformance.ops.dispatch import dispatched
from conformance.ops.rows import elementwise
from conformance.ops.special import (
    DENSITY_AT_0,
    NEAR,
    ROOT_HALF,
    ROOT_PI,
    SLOPE_AT_0,
    as_a_library,
    constant,
    exact_erf,
    exact_erfc,
    near_0,
    scaled_tail,
)
from conformance.ops.traits import INFINITE_SLOPE_AT_0, undone_by

ROOT_TWO = "1.41421356237309504880168872420969808"
WINITZKI = 0.147  # of his approximation to the error function, from whose inverse Newton's method starts
NEWTON = 6  # steps, from three digits on; the last one is for the derivative of a complex step
FAR_OUT, TERMS = (
    100,
    24,
)  # where the textbook's difference has lost four digits, so many terms of the asymptotic series have all
PROBABILITY = Domain(low=0.0, high=1.0)


# -- in the wider precision ------------------------------------------------------------------------


def _erfcx(x: Any) -> Any:
    """e^(x²) erfc x: near 0 as written, far on the right without the exponential, far on the left 2e^(x²) minus that."""
    is_near, is_left = np.abs(np.real(x)) < NEAR, np.real(x) < 0
    near = np.where(is_near, x, 0)
    tail = scaled_tail(np.where(is_near, NEAR, np.where(is_left, -x, x)))
    far = np.where(is_left, 2 * np.exp(x * x) - tail, tail)
    return np.where(is_near, np.exp(near * near) * (1 - near_0(near)), far)


def _ndtr(x: Any) -> Any:
    return exact_erfc(-x / constant(ROOT_TWO, x)) / 2


def _log_ndtr(x: Any) -> Any:
    """Left of 0 by the scaled error function, right of it as the logarithm of 1 minus the other tail."""
    is_left, u = np.real(x) < 0, x / constant(ROOT_TWO, x)
    left = np.where(is_left, u, 0)
    right = np.log1p(-exact_erfc(np.where(is_left, 0, u)) / 2)
    return np.where(is_left, np.log(_erfcx(-left) / 2) - left * left, right)


def _quantile(inside: Any, outside: Any) -> Any:
    """The y, not left of 0, with erf y = inside and erfc y = outside, by Newton's method on erf or on log erfc."""
    logarithm = np.log(np.real(outside * (2 - outside)))
    half = 1 / (np.pi * WINITZKI) + logarithm / 2
    y = np.sqrt(np.maximum(np.sqrt(half * half - logarithm / WINITZKI) - half, 0)).astype(inside.dtype)
    is_near, per_slope = np.real(inside) < 0.5, constant(ROOT_PI, inside) / 2
    for _ in range(NEWTON):
        near, far = np.where(is_near, y, 0), np.where(is_near, 1, y)
        tail = _erfcx(far)
        near = near - (exact_erf(near) - inside) * per_slope * np.exp(near * near)
        far = far + (np.log(tail) - far * far - np.log(outside)) * tail * per_slope
        y = np.where(is_near, near, far)
    return y


def _erfinv(x: Any) -> Any:
    is_left = np.real(x) < 0
    inside = np.where(is_left, -x, x)
    y = _quantile(inside, 1 - inside)
    y = np.where(np.real(inside) < 1, y, np.where(inside == 1, np.inf, np.nan))
    return np.where(is_left, -y, y)


def _ndtri(p: Any) -> Any:
    is_left = np.real(p) < 0.5
    outside = 2 * np.where(is_left, p, 1 - p)
    y = _quantile(1 - outside, outside) * constant(ROOT_TWO, p)
    y = np.where(np.real(outside) > 0, y, np.where(outside == 0, np.inf, np.nan))
    return np.where(is_left, -y, y)


# -- references NumPy lacks ------------------------------------------------------------------------


@dispatched
def erfcx(x: Any) -> Any:
    """e^(x²) erfc x, the scaled complementary error function."""
    return as_a_library(_erfcx, x)


@dispatched
def ndtr(x: Any) -> Any:
    """Φ(x), the probability left of x under the standard normal distribution."""
    return as_a_library(_ndtr, x)


@dispatched
def log_ndtr(x: Any) -> Any:
    """log Φ(x), which is finite also where Φ(x) underflows."""
    return as_a_library(_log_ndtr, x)


@dispatched
def erfinv(x: Any) -> Any:
    """The y with erf y = x."""
    return as_a_library(_erfinv, x)


@dispatched
def ndtri(p: Any) -> Any:
    """The x with Φ(x) = p."""
    return as_a_library(_ndtri, p)


# -- slopes too long for a table -------------------------------------------------------------------


def erfcx_slope(z: Any, x: Any) -> Any:
    """2xz − 2/√π, far on the right by the derivative of the asymptotic series (DLMF 7.12.1), where the difference cancels."""
    is_far = np.real(x) > FAR_OUT
    far = np.where(is_far, x, FAR_OUT)
    inverse = 1 / far
    step, series = inverse * inverse / 2, inverse * 0
    for n in range(TERMS, 0, -1):
        series = (1 + series) * (-(2 * n + 1) * step)
    return np.where(is_far, -SLOPE_AT_0 * step * (1 + series), 2 * x * z - SLOPE_AT_0)


def log_ndtr_slope(z: Any, x: Any) -> Any:
    """φ(x)/Φ(x): left of 0 over e^(−x²/2) in both, where the logarithm and half the square cancel; right of it as e^(−x²/2 − z)."""
    is_left = np.real(x) < 0
    left, right = np.where(is_left, x, 0), np.where(is_left, 0, x)
    near = np.exp(-0.5 * right * right - np.where(is_left, 0, z))
    return DENSITY_AT_0 * np.where(is_left, 2 / erfcx(-ROOT_HALF * left), near)


# -- rows ------------------------------------------------------------------------------------------

ROWS: tuple[Op, ...] = (
    elementwise("erfcx", erfcx, erfcx_slope,
        formula="x̄ = g · (2x z − 2/√π)", source="product rule on e^(x²) erfc x, DLMF 7.2.2",
        domains=[Domain(low=-9.0)]),  # further left single precision has no numbers for it
    elementwise("ndtr", ndtr, lambda z, x: DENSITY_AT_0 * np.exp(-0.5 * x * x),
        formula="x̄ = g · φ(x)", source="the density, e^(−x²/2)/√(2π)", traits={undone_by("ndtri")}),
    elementwise("log_ndtr", log_ndtr, log_ndtr_slope,
        formula="x̄ = g · φ(x)/Φ(x) = g · √(2/π) / erfcx(−x/√2)", source="Φ′/Φ, over e^(−x²/2) in both"),
    elementwise("erfinv", erfinv, lambda z, x: np.exp(z * z) / SLOPE_AT_0,
        formula="x̄ = g · √π/2 e^(z²)", source="erf z = x differentiated, DLMF 7.2.1", domains=[UNIT],
        traits={undone_by("erf")}),
    elementwise("ndtri", ndtri, lambda z, p: np.exp(0.5 * z * z) / DENSITY_AT_0,
        formula="p̄ = g / φ(z)", source="Φ(z) = p differentiated", domains=[PROBABILITY],
        traits={undone_by("ndtr"), INFINITE_SLOPE_AT_0}),
)  # fmt: skip
