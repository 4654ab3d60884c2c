"""The dilogarithm of an argument's distance from 1, in the next wider precision, rounded once."""

from __future__ import annotations

from typing import Any

import numpy as np

from conformance.op import POSITIVE, Op
from conformance.ops.dispatch import dispatched
from conformance.ops.rows import elementwise
from conformance.ops.special import PI, as_a_library, constant
from conformance.ops.traits import INFINITE_SLOPE_AT_0

TERMS_BELOW_HALF = 110  # of the series of a logarithm and a dilogarithm

# -- in the wider precision ------------------------------------------------------------------------


def _dilogarithm(y: Any, order: int = 2) -> Any:
    """Σ yᵏ/k² (DLMF 25.12.1); of order 1 −ln(1 − y), which NumPy's log1p of a complex number near 0 is not."""
    total = np.zeros_like(y)
    for k in range(TERMS_BELOW_HALF, 0, -1):
        total = (total + 1 / np.asarray(k, np.real(y).dtype) ** order) * y
    return total


def _reflected(x: Any) -> Any:
    """Li₂(1 − x) left of a half by Li₂(x) (DLMF 25.12.6)."""
    at_0 = constant(PI, x) ** 2 / 6
    inner = np.where(x == 0, 0.25, x)
    beyond = at_0 + np.log(inner) * _dilogarithm(inner, 1) - _dilogarithm(inner)
    return np.where(x == 0, at_0, beyond)


def _up_to_half_beyond(x: Any) -> Any:
    """Li₂(1 − x) up to 1.5."""
    is_low = np.real(x) < 0.5
    low, high = np.where(is_low, x, 0.25), np.where(is_low, 1, x)
    return np.where(is_low, _reflected(low), _dilogarithm(1 - high))


def _spence(x: Any) -> Any:
    """Li₂(1 − x), from 1.5 on by its inverse (DLMF 25.12.4)."""
    is_high = np.real(x) > 1.5
    high = np.where(is_high & ~np.isinf(x), x, 2)
    above = np.where(np.isinf(x), -x, -_up_to_half_beyond(1 / high) - np.log(high) ** 2 / 2)
    return np.where(is_high, above, _up_to_half_beyond(np.where(is_high, 1, x)))


# -- a reference NumPy lacks -----------------------------------------------------------------------


@dispatched
def spence(x: Any) -> Any:
    """∫ ln t/(1 − t) dt from 1 to x, which is Li₂(1 − x)."""
    return as_a_library(_spence, x)


# -- a slope too long for a table ------------------------------------------------------------------


def spence_slope(z: Any, x: Any) -> Any:
    """ln x/(1 − x), −1 at 1: there by the distance, which is exact."""
    distance = x - 1
    is_beside = np.abs(distance) < 0.5
    inner = np.where(is_beside, distance, 0.25)
    beside = np.where(
        inner == 0, -1 + inner / 2 - inner**2 / 3, -np.log1p(inner) / np.where(inner == 0, 1, inner)
    )
    outer = np.where(is_beside, 2, x)
    return np.where(is_beside, beside, np.log(outer) / (1 - outer))


# -- the row ---------------------------------------------------------------------------------------

ROWS: tuple[Op, ...] = (
    elementwise("spence", spence, spence_slope,
        formula="x̄ = g · ln x/(1 − x)", source="DLMF 25.12.2 at 1 − x; −1 at 1", domains=[POSITIVE],
        traits={INFINITE_SLOPE_AT_0}),
)  # fmt: skip
