"""Mutants that are wrong only for very large or very small numbers."""

from __future__ import annotations

from typing import Any

import numpy as np

from conformance_backends.mutants.mutant import Mutant, rule
from conformance_backends.numpy_engine.tensor import detach


def guarded_quotient(right: Any, i: int, g: Any, z: Any, x: Any) -> Any:
    """g / x with a little added to x, against a division by zero."""
    return g / (x + x.dtype.type(1e-30))


def flat_near_zero(right: Any, i: int, g: Any, z: Any, x: Any) -> Any:
    """An operand counts as positive only above a threshold."""
    return np.where(np.abs(x) < x.dtype.type(1e-6), 0, right(i, g, z, x))


def by_the_square(right: Any, i: int, g: Any, z: Any, x: Any, y: Any) -> Any:
    """-g x / y², where the square of a small y underflows."""
    return right(i, g, z, x, y) if i == 0 else -g * x / (y * y)


def capped(right: Any, i: int, g: Any, z: Any, x: Any) -> Any:
    """Gradients beyond a bound are clipped to it."""
    bound = x.dtype.type(2.0**40)
    return np.clip(right(i, g, z, x), -bound, bound)


def tail_is_one(right: Any, i: int, g: Any, z: Any, x: Any) -> Any:
    """Beyond a bound the derivative is one."""
    return np.where(np.abs(x) > x.dtype.type(2.0**10), g, right(i, g, z, x))


MAGNITUDES = ("op/magnitudes",)


def subnormal_is_zero(right: Any, i: int, g: Any, z: Any, x: Any) -> Any:
    """An operand below the normal numbers counts as zero."""
    return np.where(np.abs(x) < np.finfo(x.dtype).tiny, 0, right(i, g, z, x))


def by_way_of_the_square(right: Any, i: int, g: Any, z: Any, x: Any) -> Any:
    """The cotangent is squared, and divided by again."""
    return np.where(g == 0, 0, g * g / np.where(g == 0, 1, g)) * right(i, np.ones_like(g), z, x)


def once_far_out(right: Any, i: int, g: Any, z: Any, x: Any) -> Any:
    """Beyond a bound the derivative is computed from detached values."""
    return right(i, g, detach(z), detach(x)) if np.any(np.abs(detach(x)) > 12) else right(i, g, z, x)


MUTANTS: tuple[Mutant, ...] = (
    rule("denominator-guarded", "The gradient of log divides by the operand plus a small constant.",
        MAGNITUDES, ("log",), guarded_quotient),
    rule("flat-near-zero", "Within a millionth of zero the gradient of relu is zero.",
        MAGNITUDES, ("relu",), flat_near_zero),
    rule("divided-by-the-square", "A quotient's gradient divides by a square that underflows.",
        MAGNITUDES, ("divide",), by_the_square),
    rule("large-gradients-capped", "Gradients beyond 2 to the 40 are capped.",
        MAGNITUDES, ("square",), capped),
    rule("tail-is-one", "Beyond a thousand the derivative of tanh is one.",
        MAGNITUDES, ("tanh",), tail_is_one),
    rule("subnormal-is-zero", "The gradient of abs at a subnormal number is zero.",
        MAGNITUDES, ("abs",), subnormal_is_zero),
    rule("cotangent-squared-and-divided", "The gradient of sin squares its cotangent and divides by it.",
        MAGNITUDES, ("sin",), by_way_of_the_square),
    rule("second-derivative-lost-far-out", "Beyond 12 the derivative of square is a constant when it is differentiated.",
        ("op/second-magnitudes",), ("square",), once_far_out),
)  # fmt: skip
