"""Careful formulas of ops that act on each entry alone."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from conformance.ops.activations import sigmoid
from conformance.ops.elementwise import nonzero

LN2, LN10 = math.log(2), math.log(10)
Slopes = tuple[Callable[..., Any], ...]


def decay(x: Any) -> Any:
    """e^(−|x|), which cannot overflow; its slope at 0 is that from the left."""
    return np.exp(np.where(x > 0, -x, x))


def bell(x: Any) -> Any:
    """σ(x) σ(−x), accurate in both tails."""
    e = decay(x)
    return e / ((1 + e) * (1 + e))


def sech_squared(x: Any) -> Any:
    """1 − tanh² x, accurate in both tails."""
    return 4 * bell(2 * x)


def tanh_of_softplus(x: Any) -> Any:
    """((1 + eˣ)² − 1)/((1 + eˣ)² + 1), from the exponential that does not overflow."""
    e = decay(x)
    right = (1 + 2 * e) / (1 + 2 * e + 2 * e * e)
    left = e * (2 + e) / (2 + e * (2 + e))
    return np.where(x > 0, right, left)


def mish_slope(z: Any, x: Any) -> Any:
    """t + x (1 − t²) σ(x), 1 − t² = 4(1 + eˣ)²/((1 + eˣ)² + 1)² without a difference."""
    e = decay(x)
    right = 4 * e * e * (1 + e) * (1 + e) / ((1 + 2 * e + 2 * e * e) * (1 + 2 * e + 2 * e * e))
    left = 4 * (1 + e) * (1 + e) / ((2 + e * (2 + e)) * (2 + e * (2 + e)))
    near = np.clip(x, min=-750, max=750)  # beyond, the bell is 0 and must not meet an infinity
    return tanh_of_softplus(x) + near * np.where(x > 0, right, left) * sigmoid(x)


CUBIC, SCALE = 0.044715, math.sqrt(8 / math.pi)


def gelu_tanh(x: Any) -> Any:
    """x σ(2u): ½(1 + tanh u) is a sigmoid."""
    return x * sigmoid(SCALE * x * (1 + CUBIC * x * x))


def gelu_tanh_slope(z: Any, x: Any) -> Any:
    """σ(2u) + x σ(2u) σ(−2u) 2u′."""
    near = np.clip(x, min=-20, max=20)
    twice = SCALE * near * (1 + CUBIC * near * near)
    return sigmoid(twice) + near * bell(twice) * SCALE * (1 + 3 * CUBIC * near * near)


def silu_slope(z: Any, x: Any) -> Any:
    """σ(x)(1 + x σ(−x))."""
    near = np.clip(x, min=-750, max=np.inf)
    return sigmoid(near) * (1 + near * sigmoid(-near))


def logit(x: Any) -> Any:
    """log x − log(1 − x); around ½ the logarithm of 1 + (2x − 1)/(1 − x), whose argument is exact there."""
    is_middle = np.abs(x - 0.5) < 0.25
    middle = np.where(is_middle, x, 0.5)
    return np.where(is_middle, np.log1p((middle - (1 - middle)) / (1 - middle)), np.log(x) - np.log1p(-x))


def squareplus(x: Any, *, b: float) -> Any:
    """(x + √(x² + b))/2, left of 0 as b/(2(√(x² + b) − x))."""
    size = np.where(x > 0, x, -x)
    larger = size + np.hypot(size, x.dtype.type(math.sqrt(b)))
    return np.where(x > 0, larger, b / larger) / 2


def squareplus_slope(z: Any, x: Any, b: float) -> Any:
    """½(1 + x/r), left of 0 as b/(2 r (r − x))."""
    r = np.sqrt(x * x + b)
    size = np.where(x > 0, x, -x)
    share = 0.5 * b / (r * (r + size))
    return np.where(x > 0, 1 - share, share)


def log_cosh(x: Any) -> Any:
    """log cosh x: near 0 by 2 sinh²(x/2), elsewhere by the exponential that vanishes."""
    size = np.where(x > 0, x, -x)
    half = np.sinh(np.minimum(size, 1) / 2)
    return np.where(size < 1, np.log1p(2 * half * half), size + np.log1p(np.exp(-2 * size)) - LN2)


def atan2_slope(x: Any, y: Any) -> Any:
    """x/(x² + y²), scaled."""
    size = nonzero(np.maximum(np.abs(x), np.abs(y)))
    a, b = x / size, y / size
    return a / (a * a + b * b) / size


def softplus_of_difference(x: Any, y: Any) -> Any:
    """log(eˣ + eʸ): the larger, plus log1p of the rest."""
    return np.maximum(x, y) + np.where(x == y, LN2, np.log1p(np.exp(-np.abs(x - y))))


# -- by op: the value, None where the row's own is as good, and the slopes -------------------------------

SLOPES: Mapping[str, tuple[Callable[..., Any] | None, Slopes]] = {
    "tanh": (None, (lambda z, x: sech_squared(x),)),
    "sigmoid": (None, (lambda z, x: bell(x),)),
    "tan": (None, (lambda z, x: 1 / (np.cos(x) * np.cos(x)),)),
    "asinh": (None, (lambda z, x: 1 / np.hypot(1, x),)),
    "acosh": (None, (lambda z, x: 1 / (np.sqrt(x - 1) * np.sqrt(x + 1)),)),
    "atanh": (None, (lambda z, x: 1 / ((1 - x) * (1 + x)),)),
    "asin": (None, (lambda z, x: 1 / (np.sqrt(1 - x) * np.sqrt(1 + x)),)),
    "acos": (None, (lambda z, x: -1 / (np.sqrt(1 - x) * np.sqrt(1 + x)),)),
    "atan": (None, (lambda z, x: 1 / np.hypot(1, x) / np.hypot(1, x),)),
    "sqrt": (None, (lambda z, x: 0.5 / np.sqrt(x),)),
    "rsqrt": (None, (lambda z, x: -0.5 / (x * np.sqrt(x)),)),
    "reciprocal": (None, (lambda z, x: -1 / x / x,)),
    "exp2": (None, (lambda z, x: np.exp2(x) * LN2,)),
    "log2": (None, (lambda z, x: 1 / x / LN2,)),
    "log10": (None, (lambda z, x: 1 / x / LN10,)),
    "expm1": (None, (lambda z, x: np.where(x > -0.5, 1 + np.expm1(x), np.exp(x)),)),
    "divide": (None, (lambda z, x, y: 1 / y, lambda z, x, y: -x / y / y)),
    "atan2": (None, (lambda z, y, x: atan2_slope(x, y), lambda z, y, x: -atan2_slope(y, x))),
    "logaddexp": (softplus_of_difference, (lambda z, x, y: sigmoid(x - y), lambda z, x, y: sigmoid(y - x))),
    "silu": (None, (silu_slope,)),
    "mish": (lambda x: x * tanh_of_softplus(x), (mish_slope,)),
    "gelu_tanh": (gelu_tanh, (gelu_tanh_slope,)),
    "softsign": (None, (lambda z, x: 1 / (1 + np.abs(x)) / (1 + np.abs(x)),)),
    "logit": (logit, (lambda z, x: 1 / x + 1 / (1 - x),)),
    "squareplus": (squareplus, (squareplus_slope,)),
    "tanh_shrink": (None, (lambda z, x: np.tanh(x) * np.tanh(x),)),
    "lerp": (
        # Between the ends both are weighed; far from them such a sum overflows on the way.
        lambda x, y, w: np.where((w >= 0) & (w <= 1), (1 - w) * x + w * y, x + w * (y - x)),
        (lambda z, x, y, w: 1 - w, lambda z, x, y, w: w, lambda z, x, y, w: y - x),
    ),
    "addcdiv": (
        None,
        (lambda z, x, a, b, value: 1, lambda z, x, a, b, value: value / b,
         lambda z, x, a, b, value: -(value * (a / b)) / b),
    ),
    "hard_swish": (
        lambda x: np.where(x <= -3, 0, np.where(x < 3, x * (x + 3) / 6, x)),
        (lambda z, x: np.where(x <= -3, 0, np.where(x < 3, (2 * x + 3) / 6, 1)),),
    ),
}  # fmt: skip
