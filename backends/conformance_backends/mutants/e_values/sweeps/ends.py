"""Mutants whose values are wrong at an end of the domain alone."""

from __future__ import annotations

from typing import Any

import numpy as np

from conformance_backends.mutants.mutant import Mutant, value


def without_the_sign(right: Any, *xs: Any, **p: Any) -> Any:
    """Zero is added to each operand, so that -0 becomes 0."""
    return right(*(x + 0.0 if x.dtype.kind == "f" else x for x in xs), **p)


def times_a_mask(right: Any, x: Any, **p: Any) -> Any:
    """The operand times whether it is positive: of minus infinity that is NaN."""
    return x * (x > 0)


def guarded(right: Any, x: Any, **p: Any) -> Any:
    """A little is added to the operand, so that no logarithm is infinite."""
    return right(x + np.finfo(x.dtype).tiny, **p) if x.dtype.kind == "f" else right(x, **p)


def largest_for_infinity(right: Any, x: Any, **p: Any) -> Any:
    """What is infinite is the largest number."""
    z = right(x, **p)
    return np.nan_to_num(z, nan=np.nan) if z.dtype.kind == "f" else z


MUTANTS: tuple[Mutant, ...] = (
    value("sign-of-zero-lost", "The value at a negative zero is that at a positive one.",
        ("op/value-at-ends",), ("reciprocal", "copysign"), without_the_sign),
    value("mask-times-infinity", "The value at minus infinity is NaN: a mask times infinity.",
        ("op/value-at-ends",), ("relu",), times_a_mask),
    value("pole-is-a-number", "A little is added to the operand, so that no logarithm is infinite.",
        ("op/value-at-ends",), ("log", "log2"), guarded),
    value("infinity-is-a-number", "What is infinite is the largest number instead.",
        ("op/value-at-ends",), ("exp", "atanh", "log1p"), largest_for_infinity),
)  # fmt: skip
