"""Elementwise ops: every entry of the result depends on one entry of each operand.

A row gives its partials ∂z/∂xᵢ as functions of the result and the operands; the VJP multiplies them
by the upstream cotangent. Slopes at a tie or kink are conventions: the special points say between
which bounds any choice is right.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from conformance.op import DISTINCT, NONZERO, POSITIVE, REAL, UNIT, Choose, Domain, Op, Signature
from conformance.ops import laws
from conformance.ops.activations import sigmoid
from conformance.ops.dispatch import dispatched
from conformance.ops.rows import elementwise, inverse_root, linear
from conformance.ops.special import log1p
from conformance.ops.traits import (
    ANTILINEAR,
    COMMUTATIVE,
    ELEMENTWISE,
    HOLOMORPHIC,
    INFINITE_SLOPE_AT_0,
    PIECEWISE_LINEAR,
    QUADRATIC,
    REAL_REFERENCE,
    SAVES_OPERANDS,
    SAVES_OUTPUT,
    VANISHING,
    Homogeneous,
    Shift,
    exactly_undone_by,
    undone_by,
)

LN2, LN10 = math.log(2), math.log(10)


# -- references NumPy lacks ------------------------------------------------------------------------


@dispatched
def rsqrt(x: Any) -> Any:
    """One over the square root."""
    return 1 / np.sqrt(x)


@dispatched
def xlogy(x: Any, y: Any) -> Any:
    """x·log y, which is 0 at x = 0 for every number y."""
    return np.where((x == 0) & (y == y), 0, x * np.log(np.where(x == 0, 1, y)))[()]


# -- slopes too long for a table -------------------------------------------------------------------


def has_logarithm(x: Any) -> Any:
    """Where a base has a logarithm: positive numbers, and complex ones other than 0."""
    return x != 0 if x.dtype.kind == "c" else x > 0


def sinc_slope(z: Any, x: Any) -> Any:
    """(cos πx − sinc x)/x, near 0 by the Taylor series of sinc, where the quotient cancels."""
    is_near = np.abs(x) < 0.125
    near, far = np.where(is_near, np.pi * x, 0), np.where(is_near, 1, x)
    square, series = near * near, near * 0
    for k in range(10, 0, -1):
        series = series * square + (-1) ** k * 2 * k / math.factorial(2 * k + 1)
    return np.where(is_near, np.pi * near * series, (np.cos(np.pi * far) - z) / far)


def over_its_square(x: Any, y: Any) -> Any:
    """x / (x² + y²), of which no square overflows or vanishes."""
    r = np.sqrt(x * x + y * y) if "c" in x.dtype.kind + y.dtype.kind else np.hypot(x, y)
    return x / r / r


def nonzero(z: Any) -> Any:
    """A denominator that is never 0: where z is 0, so is what it divides."""
    return np.where(z == 0, 1, z)


# -- laws ------------------------------------------------------------------------------------------


def clip_law(choose: Choose) -> Signature:
    """One operand and its bounds, either of which may be missing; the bounds are its kinks.

    They may leave nothing between them, or be exchanged: then the value is `max`.
    """
    shape = choose(laws.SHAPES)
    low, high = choose(
        ((-1.0, 1.0), (None, 1.0), (-1.0, None), (0.3, 2.1), (-2, 1), (0.0, 64.0), (0.5, 0.5), (1.0, -1.0))
    )
    kinks = tuple(bound for bound in (low, high) if bound is not None)
    return Signature((shape,), {"min": low, "max": high}, domains=(Domain(kinks=kinks),))


# -- one operand -----------------------------------------------------------------------------------

ONE_OPERAND = (
    elementwise("abs", np.abs, lambda z, x: np.sign(x),
        formula="x̄ = g · sign x", source="|x| = x sign x",
        domains=[NONZERO], aliases=("absolute", "fabs"), traits={PIECEWISE_LINEAR, Homogeneous(1)}),
    linear("negative", np.negative, lambda g, x: -g,
        formula="x̄ = −g", source="linear",
        law=laws.one_array,
        traits={ELEMENTWISE, HOLOMORPHIC, exactly_undone_by("negative")}, aliases=("neg",)),
    linear("positive", np.positive, lambda g, x: g,
        formula="x̄ = g", source="the identity", law=laws.one_array,
        traits={ELEMENTWISE, HOLOMORPHIC, exactly_undone_by("positive")}),
    linear("real", np.real, lambda g, x: g,
        formula="x̄ = g", source="a real number is its real part",
        law=laws.one_array, traits={ELEMENTWISE}),
    linear("imag", np.imag, lambda g, x: np.zeros_like(g),
        formula="x̄ = 0", source="a real number has no imaginary part",
        law=laws.one_array, traits={ELEMENTWISE, VANISHING}),
    linear("conj", np.conj, lambda g, x: np.conj(g),
        formula="x̄ = conj g", source="a real number is its own conjugate",
        law=laws.one_array, traits={ANTILINEAR, ELEMENTWISE}),
    linear("deg2rad", np.deg2rad, lambda g, x: np.deg2rad(g),
        formula="x̄ = π/180 · g", source="linear: π/180 · x",
        law=laws.one_array, traits={ELEMENTWISE, undone_by("rad2deg")}, aliases=("radians",)),
    linear("rad2deg", np.rad2deg, lambda g, x: np.rad2deg(g),
        formula="x̄ = 180/π · g", source="linear: 180/π · x",
        law=laws.one_array, traits={ELEMENTWISE, undone_by("deg2rad")}, aliases=("degrees",)),
    # powers and roots
    elementwise("square", np.square, lambda z, x: 2 * x, formula="x̄ = g · 2x", source="power rule",
        traits={QUADRATIC, HOLOMORPHIC, Homogeneous(2), SAVES_OPERANDS}),
    elementwise("sqrt", np.sqrt, lambda z, x: 0.5 / z,
        formula="x̄ = g / 2z", source="power rule", domains=[POSITIVE],
        traits={HOLOMORPHIC, Homogeneous(0.5), undone_by("square"), SAVES_OUTPUT, INFINITE_SLOPE_AT_0}),
    elementwise("cbrt", np.cbrt, lambda z, x: 1 / (3 * z * z),
        formula="x̄ = g / 3z²", source="z³ = x differentiated: 3z² dz = dx", domains=[NONZERO],
        traits={REAL_REFERENCE, Homogeneous(1 / 3), INFINITE_SLOPE_AT_0}),
    elementwise("rsqrt", rsqrt, lambda z, x: -0.5 * z / x,
        formula="x̄ = −g · z / 2x", source="power rule, x^(−1/2)", domains=[POSITIVE],
        traits={HOLOMORPHIC, Homogeneous(-0.5), INFINITE_SLOPE_AT_0}),
    elementwise("reciprocal", np.reciprocal, lambda z, x: -z * z,
        formula="x̄ = −g · z²", source="power rule, x⁻¹", domains=[NONZERO],
        traits={HOLOMORPHIC, Homogeneous(-1), undone_by("reciprocal"), INFINITE_SLOPE_AT_0}),
    # exponentials and logarithms
    elementwise("exp", np.exp, lambda z, x: z, formula="x̄ = g · z", source="DLMF 4.7.7",
        traits={HOLOMORPHIC, undone_by("log"), SAVES_OUTPUT}),
    elementwise("exp2", np.exp2, lambda z, x: LN2 * z,
        formula="x̄ = g · z · ln 2", source="DLMF 4.7.9 with a = 2", traits={HOLOMORPHIC, undone_by("log2")}),
    elementwise("expm1", np.expm1, lambda z, x: np.exp(x),
        formula="x̄ = g · eˣ", source="DLMF 4.7.7; z + 1 would cancel at z ≈ −1",
        traits={HOLOMORPHIC, undone_by("log1p")}),
    elementwise("log", np.log, lambda z, x: 1 / x,
        formula="x̄ = g / x", source="DLMF 4.7.1", domains=[POSITIVE],
        traits={HOLOMORPHIC, undone_by("exp"), SAVES_OPERANDS, INFINITE_SLOPE_AT_0}),
    elementwise("log2", np.log2, lambda z, x: 1 / (LN2 * x),
        formula="x̄ = g / (x ln 2)", source="DLMF 4.7.1 over ln 2", domains=[POSITIVE],
        traits={HOLOMORPHIC, undone_by("exp2"), INFINITE_SLOPE_AT_0}),
    elementwise("log10", np.log10, lambda z, x: 1 / (LN10 * x),
        formula="x̄ = g / (x ln 10)", source="DLMF 4.7.1 over ln 10", domains=[POSITIVE],
        traits={HOLOMORPHIC, INFINITE_SLOPE_AT_0}),
    elementwise("log1p", log1p, lambda z, x: 1 / (1 + x),
        formula="x̄ = g / (1 + x)", source="DLMF 4.7.1 at 1 + x", domains=[Domain(low=-1.0)],
        traits={HOLOMORPHIC, undone_by("expm1")}),
    # trigonometric
    elementwise("sin", np.sin, lambda z, x: np.cos(x), formula="x̄ = g · cos x", source="DLMF 4.20.1",
        traits={HOLOMORPHIC}),
    elementwise("cos", np.cos, lambda z, x: -np.sin(x), formula="x̄ = −g · sin x", source="DLMF 4.20.2",
        traits={HOLOMORPHIC}),
    elementwise("tan", np.tan, lambda z, x: 1 + z * z,
        formula="x̄ = g · (1 + z²)", source="DLMF 4.20.3: sec² = 1 + tan²",
        domains=[Domain(low=-math.pi / 2, high=math.pi / 2)], traits={HOLOMORPHIC, undone_by("atan")}),
    elementwise("asin", np.arcsin, lambda z, x: 1 / np.sqrt((1 - x) * (1 + x)),
        formula="x̄ = g / √(1 − x²)", source="DLMF 4.24.7", domains=[UNIT], aliases=("arcsin",),
        traits={HOLOMORPHIC, undone_by("sin")}),
    elementwise("acos", np.arccos, lambda z, x: -1 / np.sqrt((1 - x) * (1 + x)),
        formula="x̄ = −g / √(1 − x²)", source="DLMF 4.24.8", domains=[UNIT], aliases=("arccos",),
        traits={HOLOMORPHIC, undone_by("cos")}),
    elementwise("atan", np.arctan, lambda z, x: 1 / (1 + x * x),
        formula="x̄ = g / (1 + x²)", source="DLMF 4.24.9", aliases=("arctan",),
        traits={HOLOMORPHIC, undone_by("tan")}),
    elementwise("sinc", np.sinc, sinc_slope,
        formula="x̄ = g · (cos πx − z) / x", source="quotient rule on sin πx / πx; 0 at 0 by symmetry",
        traits={HOLOMORPHIC}),
    # hyperbolic
    elementwise("sinh", np.sinh, lambda z, x: np.cosh(x), formula="x̄ = g · cosh x", source="DLMF 4.34.1",
        traits={HOLOMORPHIC, undone_by("asinh")}),
    elementwise("cosh", np.cosh, lambda z, x: np.sinh(x), formula="x̄ = g · sinh x", source="DLMF 4.34.2",
        traits={HOLOMORPHIC}),
    elementwise("tanh", np.tanh, lambda z, x: 1 - z * z,
        formula="x̄ = g · (1 − z²)", source="DLMF 4.34.3: sech² = 1 − tanh²",
        traits={HOLOMORPHIC, undone_by("atanh"), SAVES_OUTPUT}),
    elementwise("asinh", np.arcsinh, lambda z, x: inverse_root(x),
        formula="x̄ = g / √(1 + x²)", source="DLMF 4.38.9", aliases=("arcsinh",),
        traits={HOLOMORPHIC, undone_by("sinh")}),
    elementwise("acosh", np.arccosh, lambda z, x: 1 / (np.sqrt(x - 1) * np.sqrt(x + 1)),
        formula="x̄ = g / √(x² − 1)", source="DLMF 4.38.10", domains=[Domain(low=1.0)], aliases=("arccosh",),
        traits={HOLOMORPHIC, undone_by("cosh")}),
    elementwise("atanh", np.arctanh, lambda z, x: 1 / ((1 - x) * (1 + x)),
        formula="x̄ = g / (1 − x²)", source="DLMF 4.38.11", domains=[UNIT], aliases=("arctanh",),
        traits={HOLOMORPHIC, undone_by("tanh")}),
    elementwise("nan_to_num", np.nan_to_num, lambda z, x, nan, posinf, neginf: np.isfinite(x),
        formula="x̄ = g where x is finite, else 0", source="the identity, and numbers in place of what is none",
        law=laws.with_parameters(laws.one_array, nan=(0.0, -1.3), posinf=(None, 2.1), neginf=(None, -3.1)),
        traits={PIECEWISE_LINEAR, Homogeneous(1)}),
    elementwise("clip", np.clip,
        lambda z, x, min=None, max=None: (min is None or x >= min) & (max is None or x <= max),
        formula="x̄ = g where min ≤ x ≤ max, else 0",
        source="the identity between the bounds, constant outside",
        law=clip_law, aliases=("clamp",), traits={PIECEWISE_LINEAR}),
)  # fmt: skip


# -- two operands ----------------------------------------------------------------------------------

TWO_OPERANDS = (
    elementwise("add", np.add, lambda z, x, y: 1, lambda z, x, y: 1,
        formula="x̄ = g, ȳ = g", source="d(x + y) = dx + dy",
        traits={HOLOMORPHIC, COMMUTATIVE, PIECEWISE_LINEAR, Homogeneous(1, of=(0, 1))}),
    elementwise("subtract", np.subtract, lambda z, x, y: 1, lambda z, x, y: -1,
        formula="x̄ = g, ȳ = −g", source="d(x − y) = dx − dy", aliases=("sub",),
        traits={HOLOMORPHIC, PIECEWISE_LINEAR, Homogeneous(1, of=(0, 1)), Shift(0, of=(0, 1))}),
    elementwise("multiply", np.multiply, lambda z, x, y: y, lambda z, x, y: x,
        formula="x̄ = g · y, ȳ = g · x", source="d(xy) = y dx + x dy", aliases=("mul",),
        traits={QUADRATIC, HOLOMORPHIC, COMMUTATIVE, Homogeneous(1), Homogeneous(1, of=(1,)), SAVES_OPERANDS}),
    elementwise("divide", np.divide, lambda z, x, y: 1 / y, lambda z, x, y: -z / y,
        formula="x̄ = g / y, ȳ = −g · z / y", source="d(x/y) = (dx − z dy) / y",
        domains=[REAL, NONZERO], aliases=("true_divide", "div"),
        traits={HOLOMORPHIC, Homogeneous(1), Homogeneous(-1, of=(1,)), SAVES_OPERANDS}),
    # Inside the domain of pow the guards are idle; at x = 0 they give the limits where there are any.
    elementwise("pow", np.power, lambda z, x, y: y * x ** (y - ((x != 0) | (y != 0))),
        lambda z, x, y: z * np.log(np.where(has_logarithm(x), x, 1)),
        formula="x̄ = g · y xʸ⁻¹, ȳ = g · z ln x",
        source="DLMF 4.7.9 and the power rule, on x^y = exp(y ln x)",
        domains=[POSITIVE, REAL], aliases=("power",), traits={HOLOMORPHIC, SAVES_OPERANDS}),
    elementwise("hypot", np.hypot, lambda z, x, y: x / nonzero(z), lambda z, x, y: y / nonzero(z),
        formula="x̄ = g · x / z, ȳ = g · y / z", source="z² = x² + y² differentiated: z dz = x dx + y dy",
        domains=[NONZERO, NONZERO], traits={COMMUTATIVE, REAL_REFERENCE, Homogeneous(1, of=(0, 1))}),
    elementwise("atan2", np.arctan2, lambda z, y, x: over_its_square(x, y),
        lambda z, y, x: -over_its_square(y, x),
        formula="ȳ = g · x / (x² + y²), x̄ = −g · y / (x² + y²)",
        source="the angle's differential, (x dy − y dx) / (x² + y²)",
        domains=[NONZERO, NONZERO], aliases=("arctan2",), traits={REAL_REFERENCE, Homogeneous(0, of=(0, 1))}),
    elementwise("logaddexp", np.logaddexp, lambda z, x, y: sigmoid(x - y), lambda z, x, y: sigmoid(y - x),
        formula="x̄ = g · σ(x − y), ȳ = g · σ(y − x)",
        source="eᶻ = eˣ + eʸ differentiated; eˣ⁻ᶻ loses the digits of z that a large x takes",
        traits={COMMUTATIVE, REAL_REFERENCE, Shift(1, of=(0, 1))}),
    elementwise("logaddexp2", np.logaddexp2, lambda z, x, y: sigmoid(LN2 * (x - y)),
        lambda z, x, y: sigmoid(LN2 * (y - x)),
        formula="x̄ = g · σ((x − y) ln 2), ȳ = g · σ((y − x) ln 2)", source="2ᶻ = 2ˣ + 2ʸ differentiated",
        traits={COMMUTATIVE, REAL_REFERENCE, Shift(1, of=(0, 1))}),
    elementwise("xlogy", xlogy, lambda z, x, y: np.log(y),
        lambda z, x, y: x / np.where((x == 0) & (y == 0), 1, y),
        formula="x̄ = g · ln y, ȳ = g · x / y", source="product rule", domains=[REAL, POSITIVE],
        traits={HOLOMORPHIC, Homogeneous(1)}),
    elementwise("maximum", np.maximum, lambda z, x, y: np.where(x == y, 0.5, x > y),
        lambda z, x, y: np.where(x == y, 0.5, y > x),
        formula="x̄ = g where x > y, g/2 where x = y, else 0",
        source="routes to the larger operand; a tie is shared equally",
        domains=[DISTINCT, DISTINCT],
        traits={COMMUTATIVE, PIECEWISE_LINEAR, Homogeneous(1, of=(0, 1)), Shift(1, of=(0, 1))}),
    elementwise("minimum", np.minimum, lambda z, x, y: np.where(x == y, 0.5, x < y),
        lambda z, x, y: np.where(x == y, 0.5, y < x),
        formula="x̄ = g where x < y, g/2 where x = y, else 0",
        source="routes to the smaller operand; a tie is shared equally",
        domains=[DISTINCT, DISTINCT],
        traits={COMMUTATIVE, PIECEWISE_LINEAR, Homogeneous(1, of=(0, 1)), Shift(1, of=(0, 1))}),
)  # fmt: skip


# -- remainders and signs --------------------------------------------------------------------------

# In each region the quotient of the two lies between two whole numbers: first between -2 and -1, where to round it down
# and to cut it off are two things; then with either sign of either operand, below 1, and beyond 2.
QUOTIENTS: tuple[tuple[Domain, Domain], ...] = (
    (Domain(low=-1.875, high=-1.5), Domain(low=1, high=1.25)),
    (Domain(low=1.5, high=1.875), Domain(low=-1.25, high=-1)),
    (Domain(low=0.25, high=0.75), Domain(low=-1.5, high=-1)),
    (Domain(low=-1.875, high=-1.5), Domain(low=-1.25, high=-1)),
    (Domain(low=2.625, high=2.875), Domain(low=-1.25, high=-1)),
    (Domain(low=1.5, high=1.875), Domain(low=1, high=1.25)),
    (Domain(low=-0.75, high=-0.25), Domain(low=1, high=1.5)),
)
REMAINDERS = (
    elementwise("remainder", np.remainder, lambda z, x, y: 1, lambda z, x, y: -np.floor(x / y),
        formula="x̄ = g, ȳ = −g · ⌊x / y⌋", source="x − y⌊x/y⌋, the quotient being locally constant",
        domains=QUOTIENTS[0], law=laws.within(*QUOTIENTS), traits={PIECEWISE_LINEAR, Homogeneous(1, of=(0, 1))}, aliases=("mod",)),
    elementwise("fmod", np.fmod, lambda z, x, y: 1, lambda z, x, y: -np.trunc(x / y),
        formula="x̄ = g, ȳ = −g · trunc(x / y)", source="x − y trunc(x/y), the quotient being locally constant",
        domains=QUOTIENTS[0], law=laws.within(*QUOTIENTS), traits={PIECEWISE_LINEAR, Homogeneous(1, of=(0, 1))}),
    elementwise("copysign", np.copysign, lambda z, x, y: np.sign(x) * np.copysign(1, y), lambda z, x, y: 0,
        formula="x̄ = g · sign x sign y, ȳ = 0", source="|x| with the sign of y, which is locally constant",
        domains=[NONZERO, NONZERO], traits={PIECEWISE_LINEAR, Homogeneous(1), Homogeneous(0, of=(1,))}),
)  # fmt: skip

ROWS: tuple[Op, ...] = ONE_OPERAND + TWO_OPERANDS + REMAINDERS
