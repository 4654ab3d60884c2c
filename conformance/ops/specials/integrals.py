"""Exponential integrals, in the next wider precision, rounded once."""

from __future__ import annotations

from typing import Any

import numpy as np

from conformance.op import POSITIVE, Op
from conformance.ops.dispatch import dispatched
from conformance.ops.rows import elementwise
from conformance.ops.special import as_a_library, constant
from conformance.ops.traits import INFINITE_SLOPE_AT_0

EULER = "0.577215664901532860606512090082402431"
TERMS = 190  # of the series of Ei, up to where the asymptotic one takes over
FRACTIONS = 120  # of the continued fraction of E1
FAR, NEAR = 50.0, 2.0
ASYMPTOTIC = 45  # terms of the asymptotic series, whose least is the 50th

# -- in the wider precision --------------------------------------------------------------------------


def _entire(x: Any) -> Any:
    """Σ xᵏ/(k k!), k ≥ 1."""
    total = np.zeros_like(x)
    for k in range(TERMS, 0, -1):
        number = np.real(x).dtype.type(k)
        total = (total * (number / (number + 1)) + 1) * x / number if k < TERMS else x / number
    return total


def _fraction(x: Any) -> Any:
    """E1 from the fraction e⁻ˣ/(x + 1 − 1/(x + 3 − 4/(x + 5 − …))) (DLMF 6.9.1, contracted)."""
    tail = np.zeros_like(x)
    for k in range(FRACTIONS, 0, -1):
        tail = np.real(x).dtype.type(k * k) / (x + (2 * k + 1) - tail)
    return np.exp(-x) / (x + 1 - tail)


def _exp1(x: Any) -> Any:
    """E1: by the series −γ − ln x − Σ (−x)ᵏ/(k k!) (DLMF 6.6.2) near 0, else by the fraction."""
    is_near = np.real(x) < NEAR
    near, far = np.where(is_near, x, 1), np.where(is_near, NEAR, x)
    return np.where(is_near, -constant(EULER, x) - np.log(near) - _entire(-near), _fraction(far))


def _expi(x: Any) -> Any:
    """Ei: γ + ln x + Σ xᵏ/(k k!) (DLMF 6.6.1), far from 0 eˣ/x Σ k!/xᵏ (6.12.2)."""
    is_far = np.real(x) > FAR
    near, far = np.where(is_far, 1, x), np.where(is_far, x, FAR)
    total = np.ones_like(far)
    for k in range(ASYMPTOTIC, 0, -1):
        total = 1 + total * np.real(x).dtype.type(k) / far
    half = np.exp(far / 2)  # eˣ overflows before eˣ/x does
    beyond = np.where(x == np.inf, x, half / far * total * half)
    return np.where(is_far, beyond, constant(EULER, x) + np.log(near) + _entire(near))


# -- references NumPy lacks --------------------------------------------------------------------------


@dispatched
def exp1(x: Any) -> Any:
    """∫ e⁻ᵗ/t dt from x to infinity."""
    return as_a_library(_exp1, x)


@dispatched
def expi(x: Any) -> Any:
    """∫ eᵗ/t dt from minus infinity to x, without what is around 0 (Cauchy's principal value)."""
    return as_a_library(_expi, x)


# -- the rows ----------------------------------------------------------------------------------------

ROWS: tuple[Op, ...] = (
    elementwise("exp1", exp1, lambda z, x: -np.exp(-x) / x,
        formula="x̄ = −g · e⁻ˣ/x", source="DLMF 6.2.1", domains=[POSITIVE], traits={INFINITE_SLOPE_AT_0}),
    elementwise("expi", expi, lambda z, x: np.exp(x) / x,
        formula="x̄ = g · eˣ/x", source="DLMF 6.2.5", domains=[POSITIVE],
        traits={INFINITE_SLOPE_AT_0}),
)  # fmt: skip
