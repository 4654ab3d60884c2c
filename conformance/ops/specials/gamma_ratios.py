"""Functions beside the gamma function: the beta function's logarithm, incomplete integrals, Hurwitz's zeta function.

They are computed in the next wider precision, and rounded once.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from conformance.op import POSITIVE, Choose, Domain, Op, Signature
from conformance.ops import laws
from conformance.ops.dispatch import dispatched
from conformance.ops.rows import elementwise
from conformance.ops.special import (
    FAR,
    as_a_library,
    bernoulli,
    constant,
    digamma,
    exact_gammaln,
    gammaln,
    moved,
    over,
)
from conformance.ops.traits import COMMUTATIVE, INFINITE_SLOPE_AT_0

LOG_PI = "1.14472988584940017414342735135305871"
SERIES, FRACTION = 160, 100  # terms of an incomplete gamma function's series and of its continued fraction

# -- in the wider precision ------------------------------------------------------------------------


def _correction(x: Any) -> Any:
    """What Stirling's series (DLMF 5.11.1) adds to (x − ½) ln x − x + ln √(2π)."""
    return x * bernoulli(x, lambda k: 1 / (2 * k * (2 * k - 1)))


def exact_betaln(a: Any, b: Any) -> Any:
    """ln Γ(a) + ln Γ(b) − ln Γ(a + b); of a large number and its sum by the difference of Stirling's series."""
    is_exchanged = np.real(a) < np.real(b)
    larger, smaller = np.where(is_exchanged, b, a), np.where(is_exchanged, a, b)
    is_far = np.real(larger) >= FAR
    far, near = np.where(is_far, larger, FAR), np.where(is_far, 1, larger)
    whole = far + smaller
    ratio = (0.5 - far) * np.log1p(smaller / far) - smaller * np.log(whole) + smaller
    ratio = ratio + _correction(far) - _correction(whole)
    beside = exact_gammaln(near) - exact_gammaln(near + np.where(is_far, 1, smaller))
    return exact_gammaln(smaller) + np.where(is_far, ratio, beside)


def _density_integral(x: Any, a: float) -> Any:
    """xᵃ e⁻ˣ / Γ(a), which both parts of the integral have as a factor."""
    return np.exp(a * np.log(x) - x - exact_gammaln(np.asarray(a, dtype=np.real(x).dtype)))


def _lower(x: Any, a: float) -> Any:
    """P(a, x) by its series (DLMF 8.11.4): xᵃ e⁻ˣ/Γ(a) Σ xⁿ / (a (a + 1) … (a + n))."""
    ratios = x / over(a + np.arange(1, SERIES + 1), x)
    total = 1 + np.multiply.accumulate(ratios, axis=0).sum(axis=0)
    return total / a * _density_integral(x, a)


def _upper(x: Any, a: float) -> Any:
    """Q(a, x) by its continued fraction (DLMF 8.9.2), in its even part."""
    tail = x + 2 * FRACTION + 1 - a
    for n in range(FRACTION, 0, -1):
        tail = x + 2 * n - 1 - a - n * (n - a) / tail
    return _density_integral(x, a) / tail


def _both(x: Any, a: float) -> tuple[Any, Any, Any]:
    """Whether x is left of a + 1; there the lower part, elsewhere the upper one."""
    is_left = np.real(x) < a + 1
    return is_left, _lower(np.where(is_left, x, 1), a), _upper(np.where(is_left, a + 1, x), a)


def _gammainc(x: Any, a: float) -> Any:
    is_left, lower, upper = _both(x, a)
    return np.where(is_left, np.where(x == 0, 0, lower), 1 - np.where(np.isinf(x), 0, upper))


def _gammaincc(x: Any, a: float) -> Any:
    is_left, lower, upper = _both(x, a)
    return np.where(is_left, 1 - np.where(x == 0, 0, lower), np.where(np.isinf(x), 0, upper))


def _zeta(q: Any, s: float) -> Any:
    """Euler and Maclaurin's sum (DLMF 25.11.28) far out, Σ (q + k)⁻ˢ added before."""
    y, passed = moved(q, lambda at: at**-s, np.add)
    series = bernoulli(y, lambda k: math.prod(s + j for j in range(2 * k - 1)) / math.factorial(2 * k))
    return passed + y ** (1 - s) * (1 / (s - 1) + 0.5 / y + series)


# -- references NumPy lacks ------------------------------------------------------------------------


@dispatched
def betaln(a: Any, b: Any) -> Any:
    """The logarithm of the beta function, Γ(a) Γ(b) / Γ(a + b)."""
    return as_a_library(exact_betaln, a, b)


@dispatched
def gammainc(x: Any, *, a: float) -> Any:
    """P(a, x), the lower incomplete gamma function over Γ(a)."""
    return as_a_library(_gammainc, x, a=a)


@dispatched
def gammaincc(x: Any, *, a: float) -> Any:
    """Q(a, x) = 1 − P(a, x), which keeps its digits far on the right."""
    return as_a_library(_gammaincc, x, a=a)


@dispatched
def zeta(q: Any, *, s: float) -> Any:
    """Σ (q + k)⁻ˢ over k = 0, 1, …"""
    return as_a_library(_zeta, q, s=s)


@dispatched
def multigammaln(x: Any, *, p: int) -> Any:
    """The logarithm of the multivariate gamma function of dimension p, of x > (p − 1)/2 (DLMF 35.3.4).

    Written out, since its terms may cancel: p(p − 1)/4 ln π + Σ ln Γ(x − j/2).
    """
    return p * (p - 1) / 4 * constant(LOG_PI, x) + sum(gammaln(x - j / 2) for j in range(p))


# -- rules -----------------------------------------------------------------------------------------


def density(z: Any, x: Any, a: float) -> Any:
    """xᵃ⁻¹ e⁻ˣ / Γ(a); x⁰ is 1 at 0 too."""
    power = 0 if a == 1 else (a - 1) * np.log(x)
    return np.exp(power - x - math.lgamma(a))


def digammas(z: Any, x: Any, p: int) -> Any:
    """Σ ψ(x − j/2)."""
    return sum(digamma(x - j / 2) for j in range(p))


ORDERS = laws.with_parameters(laws.one_array, a=(2.5, 1.0, 0.5, 2.0, 10.0))

DIMENSIONS = (2, 1, 3, 5)


def dimensions(choose: Choose) -> Signature:
    """One operand, and the dimension, which says where the operand may be."""
    p = choose(DIMENSIONS)
    return Signature((choose(laws.SHAPES),), {"p": p}, domains=(Domain(low=(p - 1) / 2),))


# -- rows ------------------------------------------------------------------------------------------

ROWS: tuple[Op, ...] = (
    elementwise("betaln", betaln, lambda z, a, b: digamma(a) - digamma(a + b),
        lambda z, a, b: digamma(b) - digamma(a + b),
        formula="ā = g · (ψ(a) − ψ(a + b)), b̄ = g · (ψ(b) − ψ(a + b))", source="DLMF 5.12.1 and 5.2.2",
        domains=[POSITIVE, POSITIVE], traits={COMMUTATIVE}),
    elementwise("gammainc", gammainc, density,
        formula="x̄ = g · xᵃ⁻¹ e⁻ˣ / Γ(a)", source="DLMF 8.2.4 and 8.8.13", domains=[POSITIVE], law=ORDERS),
    elementwise("gammaincc", gammaincc, lambda z, x, a: -density(z, x, a),
        formula="x̄ = −g · xᵃ⁻¹ e⁻ˣ / Γ(a)", source="DLMF 8.2.4 and 8.8.14", domains=[POSITIVE], law=ORDERS),
    elementwise("zeta", zeta, lambda z, q, s: -s * zeta(q, s=s + 1),
        formula="q̄ = −g · s ζ(s + 1, q)", source="DLMF 25.11.17", domains=[POSITIVE],
        law=laws.with_parameters(laws.one_array, s=(2.0, 1.5, 3.0, 6.5)), traits={INFINITE_SLOPE_AT_0}),
    elementwise("multigammaln", multigammaln, digammas,
        formula="x̄ = g · Σ ψ(x − j/2) over j < p", source="DLMF 35.3.4 and 5.2.2",
        domains=[Domain(low=(max(DIMENSIONS) - 1) / 2)], law=dimensions, aliases=("mvlgamma",),
        traits={INFINITE_SLOPE_AT_0}),
)  # fmt: skip
