"""Mutants whose values are wrong where an operand is NaN, infinite, or singular."""

from __future__ import annotations

from typing import Any

import numpy as np

from conformance_backends.mutants.mutant import Mutant, value


def without_nan(right: Any, x: Any, *, axis: Any = None, keepdims: bool = False) -> Any:
    """The largest of those that are numbers."""
    return np.fmax.reduce(x, axis=axis, keepdims=keepdims)


def running_without_nan(right: Any, x: Any, *, axis: int) -> Any:
    """The same of a running maximum."""
    return np.fmax.accumulate(x, axis=axis)


def multiplied(right: Any, condition: Any, x: Any, y: Any) -> Any:
    """What is not selected is multiplied by zero, and added."""
    return condition * x + (~condition) * y if condition.dtype == bool else right(condition, x, y)


def by_the_difference(right: Any, x: Any, y: Any) -> Any:
    """max + log1p exp −|x − y|, which has no difference of equal infinities."""
    return np.maximum(x, y) + np.log1p(np.exp(-np.abs(x - y)))


VALUE = ("point/value",)

MUTANTS: tuple[Mutant, ...] = (
    value("max-drops-nan", "The maximum leaves out what is no number.", VALUE, ("max",), without_nan),
    value("cummax-drops-nan", "The running maximum leaves out what is no number.", VALUE, ("cummax",), running_without_nan),
    value("where-multiplies-values", "where multiplies its operands with its condition.", VALUE, ("where",), multiplied),
    value("logaddexp-of-infinities", "logaddexp subtracts equal infinities.", VALUE, ("logaddexp",), by_the_difference),
)  # fmt: skip
