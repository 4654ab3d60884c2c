"""Special functions: the error function, the gamma function's logarithm and its derivatives.

NumPy has none of them, and SciPy's end at double precision, where an exact value needs more. So they are computed here,
in the next wider precision, and rounded once, as a good library's results are.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from typing import Any

import numpy as np

from conformance.op import POSITIVE, Op
from conformance.ops import laws
from conformance.ops.dispatch import dispatched
from conformance.ops.rows import elementwise
from conformance.ops.traits import INFINITE_SLOPE_AT_0, undone_by

WIDER = {"e": "f8", "f": "f8", "d": np.longdouble, "F": "c16", "D": np.clongdouble}
# B₂ₖ from k = 1, as numerator and denominator.
BERNOULLI = (
    *((1, 6), (-1, 30), (1, 42), (-1, 30), (5, 66), (-691, 2730), (7, 6), (-3617, 510), (43867, 798)),
    *((-174611, 330), (854513, 138), (-236364091, 2730), (8553103, 6)),
)
FAR = 24  # from here on so many terms of an asymptotic series have more digits than extended precision
TERMS = 48  # of the error function's series, up to NEAR
# Of the trapezoidal rule beyond NEAR: exp(−π²/h²) and the first term left out are less than a digit of extended precision.
STEP, STEPS = 7 / 16, 17
NEAR = 1.75
PI = "3.14159265358979323846264338327950288"
ROOT_PI = "1.77245385090551602729816748334114518"
HALF_LOG_TWO_PI = "0.918938533204672741780329736405617640"
SLOPE_AT_0 = 2 / math.sqrt(math.pi)
ROOT_HALF, DENSITY_AT_0 = math.sqrt(0.5), 1 / math.sqrt(2 * math.pi)


def as_a_library(compute: Callable[..., Any], *operands: Any, **parameters: Any) -> Any:
    """`compute(*operands)` in a wider precision, rounded once; an array that watches NumPy's functions sees one call."""

    @functools.wraps(compute)
    def once(*plain: Any) -> Any:
        dtype = np.result_type(*plain)
        wider: Any = WIDER.get(dtype.char, dtype)
        with np.errstate(all="ignore"):
            wide = [np.asarray(x).astype(wider) for x in plain]
            return compute(*wide, **parameters).astype(dtype)[()]

    watching: list[Any] = [x for x in operands if isinstance(x, np.ndarray) and type(x) is not np.ndarray]
    return watching[0].__array_ufunc__(once, "__call__", *operands) if watching else once(*operands)


def constant(digits: str, like: Any) -> Any:
    """A number in the precision of an array, which a float would cut off at 53 bits."""
    return _parsed(digits, np.real(like).dtype.type)


@functools.lru_cache(maxsize=1024)
def _parsed(digits: str, kind: type[np.generic]) -> Any:
    """A number of a type: reading its digits takes longer than the sums of a few entries that it is part of."""
    return kind(digits)


# -- a logarithm -----------------------------------------------------------------------------------


@dispatched
def log1p(x: Any) -> Any:
    """ln (1 + x); of complex numbers NumPy's own adds the one, and has no digit left near 0."""
    if x.dtype.kind != "c":
        return np.log1p(x)
    is_near = np.abs(x) < 0.5
    near = np.where(is_near, x, 0)
    size = np.log1p(near.real * (2 + near.real) + near.imag**2) / 2
    angle = np.arctan2(near.imag, 1 + near.real)
    return np.where(is_near, size + 1j * angle, np.log1p(x)).astype(x.dtype)[()]


# -- the error function ----------------------------------------------------------------------------


def near_0(x: Any) -> Any:
    """erf x = 2/√π e^(−x²) Σ 2ⁿ x²ⁿ⁺¹/(2n+1)!! (DLMF 7.6.2), whose terms have one sign."""
    ratios = 2 * x * x / over(2 * np.arange(1, TERMS) + 1, x)
    total = 1 + np.multiply.accumulate(ratios, axis=0).sum(axis=0)
    return 2 * x * np.exp(-x * x) * total / constant(ROOT_PI, x)


def scaled_tail(x: Any) -> Any:
    """e^(x²) erfc x = x/π ∫ e^(−t²)/(x² + t²) dt, right of NEAR, by the trapezoidal rule, less what its poles add.

    With a step of h they add 2 e^(x²)/(e^(2πx/h) − 1) (Matta and Reichel 1971), which beyond 7 is no digit.
    """
    places = over(np.arange(STEPS) * STEP, x)
    weights = np.exp(-places * places) * over(np.where(np.arange(STEPS), 2 * STEP, STEP), x)
    pi, square = constant(PI, x), x * x
    area = x * (weights / (square + places * places)).sum(axis=0) / pi
    near = np.where(np.real(x) < 7, x, 7)
    poles = 2 / (np.exp(2 * pi / STEP * near - near * near) - np.exp(-near * near))
    return np.where(np.isinf(square), 0, area - np.where(np.real(x) < 7, poles, 0))


def over(values: Any, x: Any) -> Any:
    """Numbers along a new leading axis before those of `x`, in its precision."""
    return np.asarray(values, np.real(x).dtype).reshape(-1, *(1,) * np.ndim(x))


def _far(x: Any) -> Any:
    """erfc x, right of 0."""
    return scaled_tail(x) * np.exp(-x * x)


def _both(x: Any) -> tuple[Any, Any, Any, Any]:
    """Whether entries are near 0; erf of those; whether entries are left of 0; erfc of the sizes of the far ones."""
    is_near, is_left = np.abs(np.real(x)) < NEAR, np.real(x) < 0
    near = near_0(np.where(is_near, x, 0)) if is_near.any() else x
    far = _far(np.where(is_near, NEAR, np.where(is_left, -x, x))) if not is_near.all() else x
    return is_near, near, is_left, far


def exact_erf(x: Any) -> Any:
    """erf in the precision of `x`."""
    is_near, near, is_left, far = _both(x)
    return np.where(is_near, near, np.where(is_left, far - 1, 1 - far))


def exact_erfc(x: Any) -> Any:
    """1 − erf in the precision of `x`."""
    # Near 0 on the right 1 − erf loses digits, which the wider precision has to spare: erfc is 0.01 at least.
    is_near, near, is_left, far = _both(x)
    return np.where(is_near, 1 - near, np.where(is_left, 2 - far, far))


@dispatched
def erf(x: Any) -> Any:
    """2/√π ∫₀ˣ e^(−t²) dt."""
    return as_a_library(exact_erf, x)


@dispatched
def erfc(x: Any) -> Any:
    """1 − erf x, which keeps its digits far on the right."""
    return as_a_library(exact_erfc, x)


@dispatched
def gelu(x: Any) -> Any:
    """x Φ(x), the Gaussian error linear unit: Φ(x) = erfc(−x/√2)/2."""
    return 0.5 * x * erfc(-ROOT_HALF * x)


def gelu_slope(z: Any, x: Any) -> Any:
    """Φ(x) + x φ(x)."""
    return 0.5 * erfc(-ROOT_HALF * x) + x * np.exp(-0.5 * x * x) * DENSITY_AT_0


# -- the gamma function ----------------------------------------------------------------------------


def moved(x: Any, term: Callable[[Any], Any], gather: np.ufunc) -> tuple[Any, Any]:
    """x + N, far enough for an asymptotic series, and what `gather` makes of `term(x + k)` for the k < N passed."""
    each = x[..., np.newaxis] + np.arange(FAR)
    is_passed = np.real(each) < FAR
    passed = gather.reduce(np.where(is_passed, term(each), gather.identity), axis=-1)
    return x + np.count_nonzero(is_passed, axis=-1), passed


def bernoulli(x: Any, weight: Callable[[int], float]) -> Any:
    """Σ B₂ₖ weight(k) / x²ᵏ."""
    square, total = 1 / (x * x), np.zeros_like(x)
    for k in range(len(BERNOULLI), 0, -1):
        top, bottom = BERNOULLI[k - 1]
        total = (total + constant(str(top), x) / bottom * weight(k)) * square
    return total


def exact_gammaln(x: Any) -> Any:
    """Stirling's series (DLMF 5.11.1) far out, ln Γ(x) = ln Γ(x + N) − ln Π (x + k) before."""
    y, product = moved(x, lambda at: at, np.multiply)
    series = y * bernoulli(y, lambda k: 1 / (2 * k * (2 * k - 1)))
    whole = (y - 0.5) * np.log(y) - y + constant(HALF_LOG_TWO_PI, y) + series - np.log(product)
    # At infinity the series is a difference of two.
    return np.select([(x == 1) | (x == 2), x == np.inf], [np.zeros_like(x), x], whole)


def _polygamma(x: Any, n: int) -> Any:
    """The asymptotic series (DLMF 5.11.2, 5.15.8) far out, n! Σ 1/(x + k)ⁿ⁺¹ added before."""
    y, passed = moved(x, lambda at: at ** -(n + 1), np.add)
    if n == 0:
        return np.log(y) - 0.5 / y - bernoulli(y, lambda k: 1 / (2 * k)) - passed
    series = bernoulli(y, lambda k: math.factorial(2 * k + n - 1) / math.factorial(2 * k))
    leading = math.factorial(n - 1) + math.factorial(n) / (2 * y) + series
    return (-1) ** (n + 1) * (leading / y**n + math.factorial(n) * passed)


@dispatched
def gammaln(x: Any) -> Any:
    """The logarithm of the gamma function."""
    return as_a_library(exact_gammaln, x)


@dispatched
def digamma(x: Any) -> Any:
    """The slope of gammaln."""
    return as_a_library(_polygamma, x, n=0)


@dispatched
def polygamma(x: Any, *, n: int) -> Any:
    """The n-th derivative of digamma."""
    return as_a_library(_polygamma, x, n=n)


# -- rows ------------------------------------------------------------------------------------------

ERROR_FUNCTIONS = (
    elementwise("erf", erf, lambda z, x: SLOPE_AT_0 * np.exp(-x * x),
        formula="x̄ = g · 2/√π e^(−x²)", source="DLMF 7.2.1", traits={undone_by("erfinv")}),
    elementwise("erfc", erfc, lambda z, x: -SLOPE_AT_0 * np.exp(-x * x),
        formula="x̄ = −g · 2/√π e^(−x²)", source="DLMF 7.2.2"),
)  # fmt: skip
GELU = elementwise("gelu", gelu, gelu_slope,
    formula="x̄ = g · (Φ(x) + x φ(x))", source="Hendrycks and Gimpel 2016, section 2; product rule")  # fmt: skip
GAMMA_FUNCTIONS = (
    elementwise("gammaln", gammaln, lambda z, x: digamma(x),
        formula="x̄ = g · ψ(x)", source="DLMF 5.2.2", domains=[POSITIVE], aliases=("lgamma",),
        traits={INFINITE_SLOPE_AT_0}),
    elementwise("digamma", digamma, lambda z, x: polygamma(x, n=1),
        formula="x̄ = g · ψ′(x)", source="DLMF 5.15", domains=[POSITIVE], traits={INFINITE_SLOPE_AT_0}),
    elementwise("polygamma", polygamma, lambda z, x, n: polygamma(x, n=n + 1),
        formula="x̄ = g · ψ⁽ⁿ⁺¹⁾(x)", source="DLMF 5.15", domains=[POSITIVE],
        law=laws.with_parameters(laws.one_array, n=(1, 2, 0, 3, 5)), traits={INFINITE_SLOPE_AT_0}),
)  # fmt: skip

ROWS: tuple[Op, ...] = ERROR_FUNCTIONS + GAMMA_FUNCTIONS
