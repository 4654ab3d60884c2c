"""Activations: the nonlinear functions between the layers of a network.

Those with a kink take one of its slopes there; the special points say between which bounds any
choice is right. Exponentials are arranged so that nothing overflows.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from conformance.op import Choose, Domain, Op, Signature
from conformance.ops import laws
from conformance.ops.dispatch import dispatched
from conformance.ops.rows import elementwise, over_root, size_of
from conformance.ops.traits import (
    HOLOMORPHIC,
    INFINITE_SLOPE_AT_0,
    PIECEWISE_LINEAR,
    QUADRATIC,
    SAVES_OUTPUT,
    Homogeneous,
    undone_by,
)

SELU_SCALE, SELU_ALPHA = 1.0507009873554805, 1.6732632423543772  # Klambauer et al. 2017, eq. 14
GELU_SCALE, GELU_CUBIC = math.sqrt(2 / math.pi), 0.044715  # Hendrycks and Gimpel 2016, section 2


# -- references ------------------------------------------------------------------------------------


@dispatched
def relu(x: Any) -> Any:
    """The positive part."""
    return np.maximum(x, 0)


@dispatched
def relu6(x: Any) -> Any:
    """The positive part, at most 6."""
    return np.clip(x, 0, 6)


@dispatched
def hard_tanh(x: Any) -> Any:
    """The identity between −1 and 1, constant outside."""
    return np.clip(x, -1, 1)


@dispatched
def hard_sigmoid(x: Any) -> Any:
    """relu6(x + 3)/6, a line between −3 and 3."""
    return np.clip(x + 3, 0, 6) / 6


@dispatched
def hard_swish(x: Any) -> Any:
    """x · hard_sigmoid x."""
    return x * np.clip(x + 3, 0, 6) / 6


@dispatched
def hard_shrink(x: Any, *, threshold: float) -> Any:
    """x outside [−threshold, threshold], 0 inside."""
    return np.where(np.abs(x) > threshold, x, 0)


@dispatched
def soft_shrink(x: Any, *, threshold: float) -> Any:
    """x brought towards 0 by `threshold`, 0 inside [−threshold, threshold]."""
    return x - np.clip(x, -threshold, threshold)


@dispatched
def leaky_relu(x: Any, *, negative_slope: float) -> Any:
    """x where positive, else negative_slope · x."""
    return np.where(x > 0, x, negative_slope * x)


@dispatched
def elu(x: Any, *, alpha: float) -> Any:
    """x where positive, else α(eˣ − 1)."""
    return np.where(np.real(x) > 0, x, alpha * np.expm1(np.where(np.real(x) > 0, 0, x)))


@dispatched
def celu(x: Any, *, alpha: float) -> Any:
    """x where positive, else α(exp(x/α) − 1)."""
    return np.where(np.real(x) > 0, x, alpha * np.expm1(np.where(np.real(x) > 0, 0, x) / alpha))


@dispatched
def selu(x: Any) -> Any:
    """λ · elu(x) at the α and λ that keep mean 0 and variance 1."""
    return SELU_SCALE * elu(x, alpha=SELU_ALPHA)


@dispatched
def sigmoid(x: Any) -> Any:
    """1/(1 + e⁻ˣ), from the exponential that does not overflow."""
    is_right = np.real(x) >= 0
    decay = np.exp(np.where(is_right, -x, x))
    return np.where(is_right, 1, decay) / (1 + decay)


@dispatched
def softplus(x: Any) -> Any:
    """log(1 + eˣ), from the exponential that does not overflow."""
    is_right = np.real(x) > 0
    return np.where(is_right, x, 0) + np.log1p(np.exp(np.where(is_right, -x, x)))


@dispatched
def log_sigmoid(x: Any) -> Any:
    """log sigmoid x."""
    return -softplus(-x)


@dispatched
def silu(x: Any) -> Any:
    """x · sigmoid x."""
    return x * sigmoid(x)


@dispatched
def mish(x: Any) -> Any:
    """x · tanh softplus x."""
    return x * np.tanh(softplus(x))


@dispatched
def gelu_tanh(x: Any) -> Any:
    """The tanh form of the Gaussian error linear unit."""
    return 0.5 * x * (1 + np.tanh(GELU_SCALE * (x + GELU_CUBIC * x * x * x)))


@dispatched
def softsign(x: Any) -> Any:
    """x/(1 + |x|)."""
    return x / (1 + np.abs(x))


@dispatched
def tanh_shrink(x: Any) -> Any:
    """x − tanh x."""
    return x - np.tanh(x)


@dispatched
def squareplus(x: Any, *, b: float) -> Any:
    """(x + √(x² + b))/2."""
    return (x + np.sqrt(x * x + b)) / 2


@dispatched
def logit(x: Any) -> Any:
    """log(x/(1 − x)), the inverse of sigmoid."""
    return np.log(x) - np.log1p(-x)


@dispatched
def prelu(x: Any, slope: Any) -> Any:
    """x where positive, else slope · x, the slope being an operand."""
    return np.where(x > 0, x, slope * x)


# -- rules too long for a table --------------------------------------------------------------------


def silu_slope(z: Any, x: Any) -> Any:
    """σ + xσ(1 − σ)."""
    s = sigmoid(x)
    return s * (1 + x * (1 - s))


def mish_slope(z: Any, x: Any) -> Any:
    """t + x(1 − t²)σ with t = tanh softplus x."""
    t = np.tanh(softplus(x))
    return t + x * (1 - t * t) * sigmoid(x)


def gelu_tanh_slope(z: Any, x: Any) -> Any:
    """½(1 + t) + ½x(1 − t²)u′ with t = tanh u, u = c(x + ax³)."""
    near = np.clip(x, min=-10, max=10)  # beyond, t is ±1 and no power may overflow
    t = np.tanh(GELU_SCALE * (near + GELU_CUBIC * near * near * near))
    return 0.5 * (1 + t) + 0.5 * near * (1 - t * t) * GELU_SCALE * (1 + 3 * GELU_CUBIC * near * near)


def softsign_slope(z: Any, x: Any) -> Any:
    """1/(1 + |x|)²."""
    spread = 1 + size_of(x)
    return 1 / (spread * spread)


def tanh_shrink_slope(z: Any, x: Any) -> Any:
    """tanh² x."""
    t = np.tanh(x)
    return t * t


# -- laws ------------------------------------------------------------------------------------------


def shrinking(choose: Choose) -> Signature:
    """One operand and the threshold, where its kinks are."""
    threshold = choose((0.3, 1.0, 2, 0.0))
    kinks = Domain(kinks=(-threshold, threshold))
    return Signature((choose(laws.SHAPES),), {"threshold": threshold}, domains=(kinks,))


KINK_AT_0 = (Domain(kinks=(0.0,)),)


# -- with kinks ------------------------------------------------------------------------------------

KINKED = (
    elementwise("relu", relu, lambda z, x: x > 0,
        formula="x̄ = g where x > 0, else 0", source="the positive part",
        domains=KINK_AT_0, traits={PIECEWISE_LINEAR, Homogeneous(1)}),
    elementwise("relu6", relu6, lambda z, x: (x > 0) & (x < 6),
        formula="x̄ = g where 0 < x < 6, else 0", source="the identity between 0 and 6, constant outside",
        domains=[Domain(kinks=(0.0, 6.0))], traits={PIECEWISE_LINEAR}),
    elementwise("leaky_relu", leaky_relu, lambda z, x, negative_slope: np.where(x > 0, 1, negative_slope),
        formula="x̄ = g where x > 0, else negative_slope · g", source="linear on either side of 0",
        domains=KINK_AT_0, law=laws.with_parameters(laws.one_array, negative_slope=(0.01, 0.25, 0.0, 1.0, -0.5, 4)),
        traits={PIECEWISE_LINEAR, Homogeneous(1)}),
    elementwise("prelu", prelu, lambda z, x, slope: np.where(x > 0, 1, slope),
        lambda z, x, slope: np.where(x > 0, 0, x),
        formula="x̄ = g where x > 0, else a g; ā = 0 where x > 0, else g x",
        source="linear on either side of 0",
        domains=[*KINK_AT_0, Domain()], traits={QUADRATIC, Homogeneous(1)}),
    elementwise("elu", elu, lambda z, x, alpha: np.where(x > 0, 1, alpha * np.exp(np.minimum(x, 0))),
        formula="x̄ = g where x > 0, else g α eˣ", source="DLMF 4.7.7 left of 0, the identity right of it",
        domains=KINK_AT_0, law=laws.with_parameters(laws.one_array, alpha=(1.0, 0.3, 0.0, -0.5, 4))),
    elementwise("celu", celu, lambda z, x, alpha: np.exp(np.minimum(x, 0) / alpha),
        formula="x̄ = g · exp(min(x, 0)/α)",
        source="Barron 2017: α scaled so that the slope at 0 is 1 from both sides",
        domains=KINK_AT_0, law=laws.with_parameters(laws.one_array, alpha=(1.0, 0.3, -0.5, 4))),
    elementwise("selu", selu,
        lambda z, x: SELU_SCALE * np.where(x > 0, 1, SELU_ALPHA * np.exp(np.minimum(x, 0))),
        formula="x̄ = g λ where x > 0, else g λα eˣ", source="Klambauer et al. 2017, eq. 2",
        domains=KINK_AT_0),
    elementwise("hard_tanh", hard_tanh, lambda z, x: (x > -1) & (x < 1),
        formula="x̄ = g where −1 < x < 1, else 0", source="the identity between −1 and 1, constant outside",
        domains=[Domain(kinks=(-1.0, 1.0))], traits={PIECEWISE_LINEAR}),
    elementwise("hard_sigmoid", hard_sigmoid, lambda z, x: ((x > -3) & (x < 3)) / 6,
        formula="x̄ = g/6 where −3 < x < 3, else 0", source="a line of slope 1/6 between −3 and 3",
        domains=[Domain(kinks=(-3.0, 3.0))], traits={PIECEWISE_LINEAR}),
    elementwise("hard_swish", hard_swish, lambda z, x: np.where(x <= -3, 0, np.where(x < 3, x / 3 + 0.5, 1)),
        formula="x̄ = g (2x + 3)/6 where −3 < x < 3, 0 left, g right", source="product rule on x (x + 3)/6",
        domains=[Domain(kinks=(-3.0, 3.0))], traits={QUADRATIC}),
    elementwise("hard_shrink", hard_shrink, lambda z, x, threshold: np.abs(x) > threshold,
        formula="x̄ = g where |x| > threshold, else 0",
        source="the identity outside the threshold; it jumps there, so no slope is right at it",
        law=shrinking, traits={PIECEWISE_LINEAR}),
    elementwise("soft_shrink", soft_shrink, lambda z, x, threshold: np.abs(x) > threshold,
        formula="x̄ = g where |x| > threshold, else 0",
        source="slope 1 outside the threshold, constant inside",
        law=shrinking, traits={PIECEWISE_LINEAR}),
)  # fmt: skip


# -- smooth ----------------------------------------------------------------------------------------

SMOOTH = (
    elementwise("sigmoid", sigmoid, lambda z, x: z * (1 - z),
        formula="x̄ = g · z(1 − z)", source="quotient rule on 1/(1 + e⁻ˣ)", aliases=("expit",),
        traits={HOLOMORPHIC, undone_by("logit"), SAVES_OUTPUT}),
    elementwise("log_sigmoid", log_sigmoid, lambda z, x: sigmoid(-x),
        formula="x̄ = g · σ(−x)", source="σ′/σ = 1 − σ(x) = σ(−x)"),
    elementwise("logit", logit, lambda z, x: 1 / (x * (1 - x)),
        formula="x̄ = g / (x(1 − x))", source="1/x + 1/(1 − x)", domains=[Domain(low=0.0, high=1.0)],
        traits={HOLOMORPHIC, undone_by("sigmoid"), INFINITE_SLOPE_AT_0}),
    elementwise("softplus", softplus, lambda z, x: sigmoid(x),
        formula="x̄ = g · σ(x)", source="eᶻ = 1 + eˣ differentiated"),
    elementwise("squareplus", squareplus, lambda z, x, b: 0.5 * (1 + over_root(x / math.sqrt(b))),
        formula="x̄ = g · ½(1 + x/√(x² + b))", source="Barron 2021, eq. 2",
        law=laws.with_parameters(laws.one_array, b=(4.0, 1.0, 0.3, 64)), traits={HOLOMORPHIC}),
    elementwise("softsign", softsign, softsign_slope,
        formula="x̄ = g / (1 + |x|)²",
        source="quotient rule on either side of 0; the slopes meet, the second derivatives do not",
        domains=KINK_AT_0),
    elementwise("silu", silu, silu_slope,
        formula="x̄ = g · σ(1 + x(1 − σ))", source="product rule on x σ(x)", aliases=("swish",),
        traits={HOLOMORPHIC}),
    elementwise("mish", mish, mish_slope,
        formula="x̄ = g · (t + x(1 − t²)σ), t = tanh softplus x", source="product and chain rule"),
    elementwise("gelu_tanh", gelu_tanh, gelu_tanh_slope,
        formula="x̄ = g · ½((1 + t) + x(1 − t²)u′), t = tanh u, u = √(2/π)(x + 0.044715x³)",
        source="Hendrycks and Gimpel 2016, section 2; product and chain rule"),
    elementwise("tanh_shrink", tanh_shrink, tanh_shrink_slope,
        formula="x̄ = g · tanh² x", source="1 − (1 − tanh²)", traits={HOLOMORPHIC}),
)  # fmt: skip

ROWS: tuple[Op, ...] = KINKED + SMOOTH
