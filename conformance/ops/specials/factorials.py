"""The gamma function, and the incomplete integral of the beta function.

They are computed in the next wider precision, and rounded once.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

from conformance.op import POSITIVE, Choose, Domain, Op, Signature
from conformance.ops import laws
from conformance.ops.dispatch import dispatched
from conformance.ops.rows import elementwise
from conformance.ops.special import as_a_library, constant, digamma, exact_gammaln
from conformance.ops.specials.gamma_ratios import exact_betaln
from conformance.ops.traits import INFINITE_SLOPE_AT_0

FRACTION = 200  # terms of the continued fraction
BETWEEN = Domain(low=0.0, high=1.0)

# -- in the wider precision ------------------------------------------------------------------------


def _gamma(x: Any) -> Any:
    """e^(ln Γ(x)); an infinity is itself."""
    return np.where(np.isinf(x), x, np.exp(exact_gammaln(np.where(np.isinf(x), 1, x))))


def _lower_part(x: Any, a: float, b: float) -> Any:
    """I(x; a, b) left of its mean by the continued fraction of DLMF 8.17.22, from its end."""
    fraction = np.ones_like(x)
    for m in range(FRACTION, 0, -1):
        even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m))
        fraction = 1 + even / fraction
        odd = -(a + m - 1) * (a + b + m - 1) * x / ((a + 2 * m - 2) * (a + 2 * m - 1))
        fraction = 1 + odd / fraction
    order, other = (np.asarray(value, dtype=np.real(x).dtype) for value in (a, b))
    logarithm = a * np.log(x) + b * np.log1p(-x) - exact_betaln(order, other)
    return np.exp(logarithm) / a / fraction


def _betainc(x: Any, a: float, b: float) -> Any:
    is_left = np.real(x) < (a + 1) / (a + b + 2)
    left, right = np.where(is_left, x, 0.25), np.where(is_left, 0.25, 1 - x)
    lower = np.where(x == 0, 0, _lower_part(left, a, b))
    return np.where(is_left, lower, 1 - np.where(x == 1, 0, _lower_part(right, b, a)))


# -- references NumPy lacks ------------------------------------------------------------------------


@dispatched
def gamma(x: Any) -> Any:
    """Γ(x), of positive numbers."""
    return as_a_library(_gamma, x)


@dispatched
def betainc(x: Any, *, a: float, b: float) -> Any:
    """I(x; a, b), the incomplete beta function over B(a, b)."""
    return as_a_library(_betainc, x, a=a, b=b)


# -- rules -----------------------------------------------------------------------------------------


@cache
def _over_beta(a: float, b: float) -> str:
    """The digits of 1 / B(a, b), more than a double has."""
    return str(np.exp(-exact_betaln(np.longdouble(a), np.longdouble(b)))[()])


def betainc_slope(z: Any, x: Any, a: float, b: float) -> Any:
    """xᵃ⁻¹ (1 − x)ᵇ⁻¹ / B(a, b); a power of 0 is 1 at the ends too."""
    scale = constant(_over_beta(a, b), x)
    left = 1 + 0 * x if a == 1 else np.power(x, a - 1)
    return scale * left if b == 1 else scale * left * np.power(1 - x, b - 1)


EXPONENTS = ((2.5, 1.5), (1.0, 1.0), (0.5, 0.5), (2.0, 3.0), (1.0, 2.5), (10.0, 0.5))


def betas(choose: Choose) -> Signature:
    """One operand, and the exponents of both factors of the integrand."""
    a, b = choose(EXPONENTS)
    return Signature((choose(laws.SHAPES),), {"a": a, "b": b})


# -- rows ------------------------------------------------------------------------------------------

ROWS: tuple[Op, ...] = (
    elementwise("gamma", gamma, lambda z, x: z * digamma(x),
        formula="x̄ = g · z ψ(x)", source="DLMF 5.2.2", domains=[POSITIVE], traits={INFINITE_SLOPE_AT_0}),
    elementwise("betainc", betainc, betainc_slope,
        formula="x̄ = g · xᵃ⁻¹ (1 − x)ᵇ⁻¹ / B(a, b)", source="DLMF 8.17.1 and 8.17.2", domains=[BETWEEN], law=betas),
)  # fmt: skip
