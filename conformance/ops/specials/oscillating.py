"""Bessel functions of the first kind, of orders 0 and 1.

Near 0 the power series; then the recurrence that falls from an order at which the function is negligible; far out the
asymptotic series: in the next wider precision, rounded once.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from conformance.op import Domain, Op
from conformance.ops.dispatch import dispatched
from conformance.ops.rows import elementwise
from conformance.ops.special import PI, as_a_library, constant

CLOSE = 1  # up to here the power series loses no digit
FAR = 25  # from here on the asymptotic series has all digits, its terms falling up to the 2·25th
TERMS, PHASES = 16, 24  # of the power series; of each sum of the asymptotic series
HIGHEST, SEED = 80, 1e-30  # J of that order is less than a digit below FAR; where the recurrence begins
BESIDE_0, FEW = 0.125, 7  # where a quotient by x is its series, and how many of its terms have all digits


# Beyond, an ulp of single precision is a part of the period that counts; in double precision that is so from 2⁴⁵ on.
WITH_A_PHASE = Domain(low=-(2.0**15), high=2.0**15)


# -- in the wider precision ------------------------------------------------------------------------


def _power_series(x: Any, order: int) -> Any:
    """J(x) by DLMF 10.2.2: (x/2)ᵛ Σ (−x²/4)ᵏ / (k! (k + ν)!)."""
    quarter, total = -x * x / 4, np.ones_like(x)
    for k in range(TERMS, 0, -1):
        total = 1 + total * quarter / (k * (k + order))
    return total * (x / 2) ** order


def _falling(x: Any, order: int) -> Any:
    """J(x) by the recurrence of DLMF 10.6.1 from a high order down, and J₀ + 2 Σ J₂ₖ = 1 (Miller 1952)."""
    above, here, total = np.zeros_like(x), np.full_like(x, SEED), np.zeros_like(x)
    for n in range(HIGHEST, order, -1):
        total = total + (2 * here if n % 2 == 0 else 0)
        above, here = here, 2 * n / x * here - above
    return here / (total + (here if order == 0 else 2 / x * here - above))


def _asymptotic(x: Any, order: int) -> Any:
    """J(x) by DLMF 10.17.3, the sums of even and odd terms times cosine and sine of x − νπ/2 − π/4."""
    even, odd, term = np.zeros_like(x), np.zeros_like(x), np.ones_like(x)
    for k in range(PHASES):
        even = even + term
        term = term * (4 * order - (4 * k + 1) ** 2) / (8 * (2 * k + 1)) / x
        odd = odd + term
        term = term * (4 * order - (4 * k + 3) ** 2) / (-8 * (2 * k + 2)) / x
    cosine, sine = np.cos(x), np.sin(x)
    both, difference = cosine + sine, sine - cosine
    phases = even * both - odd * difference if order == 0 else even * difference + odd * both
    return phases / (np.sqrt(x) * np.sqrt(constant(PI, x)))


def _bessel(x: Any, order: int) -> Any:
    is_left, distance = np.real(x) < 0, np.abs(np.real(x))
    size = np.where(is_left, -x, x)
    is_close, is_far = distance < CLOSE, distance >= FAR
    close = _power_series(np.where(is_close, size, 0), order)
    middle = _falling(np.where(is_close | is_far, CLOSE, size), order)
    outer = _asymptotic(np.where(is_far & (distance < np.inf), size, FAR), order)
    value = np.where(is_close, close, np.where(is_far, np.where(np.isinf(distance), 0, outer), middle))
    value = np.where(np.isnan(x), x, value)
    return np.where(is_left, -value, value) if order else value


# -- references NumPy lacks ------------------------------------------------------------------------


@dispatched
def bessel_j0(x: Any) -> Any:
    """The Bessel function of the first kind of order 0."""
    return as_a_library(_bessel, x, order=0)


@dispatched
def bessel_j1(x: Any) -> Any:
    """The Bessel function of the first kind of order 1."""
    return as_a_library(_bessel, x, order=1)


def over_operand(z: Any, x: Any) -> Any:
    """z / x for z = J₁(x), beside 0 by the power series, which is ½ there."""
    is_beside = np.abs(x) < BESIDE_0
    near = np.where(is_beside, x, 0)
    quarter = -near * near / 4
    series = quarter * 0
    for k in range(FEW, 0, -1):
        series = (1 + series) * quarter / (k * (k + 1))
    return np.where(is_beside, 0.5 * (1 + series), z / np.where(is_beside, 1, x))


# -- rows ------------------------------------------------------------------------------------------

ROWS: tuple[Op, ...] = (
    elementwise("bessel_j0", bessel_j0, lambda z, x: -bessel_j1(x), formula="x̄ = −g · J₁(x)", source="DLMF 10.6.3",
        domains=[WITH_A_PHASE], aliases=("j0",)),
    elementwise("bessel_j1", bessel_j1, lambda z, x: bessel_j0(x) - over_operand(z, x),
        formula="x̄ = g · (J₀(x) − z/x)", source="DLMF 10.6.2 with ν = 1; ½ at 0",
        domains=[WITH_A_PHASE], aliases=("j1",)),
)  # fmt: skip
