"""Modified Bessel functions of the first kind, as they are and scaled by an exponential.

Near 0 the power series, all of whose terms are positive; far out the asymptotic series: in the next wider precision,
rounded once.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from conformance.op import NONZERO, Op
from conformance.ops.dispatch import dispatched
from conformance.ops.rows import elementwise, sign_of, size_of
from conformance.ops.special import as_a_library, constant

FAR = 24  # from here on the asymptotic series has all digits, its terms falling up to the 2·24th
TERMS = 48
BESIDE_0, FEW = 0.125, 7  # where a quotient by x is its series, and how many of its terms have all digits
ROOT_TWO_PI = "2.50662827463100050241576528481104525"


# -- in the wider precision ------------------------------------------------------------------------


def _power_series(x: Any, order: int) -> Any:
    """I(x) of order 0 or 1 (DLMF 10.25.2): (x/2)ᵛ Σ (x²/4)ᵏ / (k! (k + ν)!)."""
    quarter, total = x * x / 4, np.ones_like(x)
    for k in range(TERMS, 0, -1):
        total = 1 + total * quarter / (k * (k + order))
    return total * (x / 2) ** order


def _scaled(x: Any, order: int) -> Any:
    """e^(−|x|) I(x), far out by DLMF 10.40.1, whose terms come from one another by ((2k − 1)² − 4ν²)/(8kx)."""
    is_left, is_near = np.real(x) < 0, np.abs(np.real(x)) < FAR
    size = np.where(is_left, -x, x)
    near, far = np.where(is_near, size, 0), np.where(is_near, FAR, size)
    total = np.ones_like(x)
    for k in range(TERMS, 0, -1):
        total = 1 + total * ((2 * k - 1) ** 2 - 4 * order) / (8 * k) / far
    outer = total / (np.sqrt(far) * constant(ROOT_TWO_PI, x))
    value = np.where(is_near, np.exp(-near) * _power_series(near, order), outer)
    return np.where(is_left, -value, value) if order else value


def _plain(x: Any, order: int) -> Any:
    """I(x): the scaled one times e^|x|, in two factors, so that it overflows no earlier than it must."""
    size = np.where(np.real(x) < 0, -x, x)
    half = np.exp(size / 2)
    return np.where(np.isinf(x), x if order else size, _scaled(x, order) * half * half)


# -- references NumPy lacks ------------------------------------------------------------------------


@dispatched
def i0(x: Any) -> Any:
    """The modified Bessel function of order 0; NumPy's own has double precision at most."""
    return as_a_library(_plain, x, order=0)


@dispatched
def i1(x: Any) -> Any:
    """The modified Bessel function of order 1."""
    return as_a_library(_plain, x, order=1)


@dispatched
def i0e(x: Any) -> Any:
    """e^(−|x|) I₀(x)."""
    return as_a_library(_scaled, x, order=0)


@dispatched
def i1e(x: Any) -> Any:
    """e^(−|x|) I₁(x)."""
    return as_a_library(_scaled, x, order=1)


# -- slopes too long for a table -------------------------------------------------------------------


def over_operand(z: Any, x: Any, scale: Any) -> Any:
    """z / x for z = scale · I₁(x), beside 0 by the power series, which is ½ there."""
    is_beside = np.abs(x) < BESIDE_0
    quarter = np.where(is_beside, x, 0) * np.where(is_beside, x, 0) / 4
    series = quarter * 0
    for k in range(FEW, 0, -1):
        series = (1 + series) * quarter / (k * (k + 1))
    # Where z is infinite the slope is I₀(x), which is infinite too.
    return np.where(
        is_beside, 0.5 * scale * (1 + series), np.where(np.isinf(z), 0, z) / np.where(is_beside, 1, x)
    )


def i1e_slope(z: Any, x: Any) -> Any:
    """e^(−|x|) I₀(x) − z/x − z sign x."""
    return i0e(x) - over_operand(z, x, np.exp(-size_of(x))) - sign_of(x) * z


# -- rows ------------------------------------------------------------------------------------------

ROWS: tuple[Op, ...] = (
    elementwise("i0", i0, lambda z, x: i1(x), formula="x̄ = g · I₁(x)", source="DLMF 10.29.3"),
    elementwise("i1", i1, lambda z, x: i0(x) - over_operand(z, x, 1),
        formula="x̄ = g · (I₀(x) − z/x)", source="DLMF 10.29.2 with ν = 1; ½ at 0"),
    elementwise("i0e", i0e, lambda z, x: i1e(x) - sign_of(x) * z,
        formula="x̄ = g · (e^(−|x|) I₁(x) − z sign x)", source="product rule, DLMF 10.29.3", domains=[NONZERO]),
    elementwise("i1e", i1e, i1e_slope,
        formula="x̄ = g · (e^(−|x|) I₀(x) − z/x − z sign x)",
        source="product rule, DLMF 10.29.2; ½ at 0, where the second derivative jumps", domains=[NONZERO]),
)  # fmt: skip
