"""Mutants that are wrong in a few binades alone, where one piece of a function ends and the next begins, or at a zero."""

from __future__ import annotations

from typing import Any

import numpy as np

from conformance_backends.mutants.mutant import Mutant, rule, value

SERIES_ENDS = 4 / 3  # the smallest operand of a range that ends at twice as much
FAR = 2.0**14  # the smallest of a range of eight times as much, where an expansion has a term too few


def series_too_long(right: Any, x: Any, **p: Any) -> Any:
    """From 4/3 to 8/3 a value is off by a part in a million."""
    is_there = (np.abs(x) > SERIES_ENDS) & (np.abs(x) < 2 * SERIES_ENDS)
    z = right(x, **p)
    return np.where(is_there, z * z.dtype.type(1 - 1e-6), z).astype(z.dtype)


def term_too_few(right: Any, i: int, g: Any, z: Any, x: Any) -> Any:
    """Between two powers of two, far out, a gradient is off by a part in ten thousand."""
    pulled = right(i, g, z, x)
    is_there = (np.abs(x) > FAR) & (np.abs(x) < 8 * FAR)
    return np.where(is_there, pulled * pulled.dtype.type(1 + 1e-4), pulled).astype(pulled.dtype)


def taken_for_larger(right: Any, i: int, g: Any, z: Any, *xs: Any) -> Any:
    """The smaller of two operands that are less than twice as large is taken for as large."""
    pulled = right(i, g, z, *xs)
    first, second = map(np.abs, xs)
    is_close = (first < 2 * second) & (second < 2 * first) & (first > FAR)
    return np.where(is_close, pulled * 2, pulled).astype(pulled.dtype) if pulled.shape == g.shape else pulled


def lost_at_minus_zero(right: Any, i: int, g: Any, z: Any, *xs: Any, **p: Any) -> Any:
    """A mask that reads the sign of zero: where an operand is -0 its gradient is zero."""
    pulled = right(i, g, z, *xs, **p)
    is_there = (xs[i] == 0) & np.signbit(xs[i])
    return np.where(is_there, 0, pulled).astype(pulled.dtype) if pulled.shape == xs[i].shape else pulled


def by_way_of_one(right: Any, x: Any, **p: Any) -> Any:
    """Of complex numbers e^x - 1 as it stands, which cancels near zero."""
    return np.exp(x) - 1 if x.dtype.kind == "c" else right(x, **p)


def squared_in_half(right: Any, x: Any, **p: Any) -> Any:
    """Of float16 the logarithm of x and the root of x² + 1, whose square overflows from 256 on."""
    z = right(x, **p)
    is_far = (x.dtype == np.float16) & (np.abs(x) >= np.float16(256))
    return np.where(is_far, np.copysign(np.inf, x), z).astype(z.dtype)


MUTANTS: tuple[Mutant, ...] = (
    value("series-too-long", "From 4/3 to 8/3 the value is off by a part in a million.",
        ("op/value-swept",), ("erf", "tanh", "gammaln"), series_too_long),
    rule("term-too-few", "Of operands between 2 to the 14 and 2 to the 17 the gradient is off by a part in ten thousand.",
        ("op/swept",), ("log", "sqrt", "reciprocal"), term_too_few),
    rule("operands-taken-for-alike", "Of large operands that are less than twice each other's size the gradient is doubled.",
        ("op/swept",), ("logaddexp", "hypot"), taken_for_larger),
    rule("lost-at-minus-zero", "Where an operand is -0, at which the function has no kink, its gradient is zero.",
        ("op/swept",), ("threshold", "sin"), lost_at_minus_zero),
    value("complex-by-way-of-one", "At complex numbers expm1 adds one and takes it away again.",
        ("op/complex-value-swept",), ("expm1",), by_way_of_one),
    value("squared-in-half", "In float16 asinh squares its operand, which overflows.",
        ("op/value-swept",), ("asinh",), squared_in_half),
)  # fmt: skip
