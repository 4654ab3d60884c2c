"""Mutants whose gradients are wrong where an operand is infinite, or whose zeros lose their sign."""

from __future__ import annotations

from typing import Any

import numpy as np

from conformance_backends.mutants.mutant import Mutant, rule, value


def one_at_infinity(right: Any, i: int, g: Any, z: Any, *xs: Any, **p: Any) -> Any:
    """Where an operand is infinite, the gradient is the cotangent."""
    pulled = right(i, g, z, *xs, **p)
    return np.where(np.isinf(xs[i]), g, pulled).astype(pulled.dtype) if pulled.shape == g.shape else pulled


def zero_added(right: Any, *xs: Any, **p: Any) -> Any:
    """What is moved is added to zeros, so that -0 becomes 0."""
    return right(*xs, **p) + 0.0


def passes_nan_over(right: Any, x: Any, lower: Any, upper: Any, **p: Any) -> Any:
    """Between bounds by the functions that prefer a number to NaN."""
    return np.fmin(np.fmax(x, lower), upper) if x.dtype.kind == "f" else right(x, lower, upper, **p)


def nan_costs_nothing(right: Any, *xs: Any, **p: Any) -> Any:
    """What is NaN in a value is 0."""
    return np.nan_to_num(right(*xs, **p), nan=0.0, posinf=np.inf, neginf=-np.inf)


MUTANTS: tuple[Mutant, ...] = (
    rule("one-at-infinity", "The gradient of an infinite operand is the cotangent.",
        ("op/at-infinity",), ("sqrt", "asinh", "hypot"), one_at_infinity),
    value("zeros-lose-their-sign", "A value that is a negative zero is a positive one.",
        ("op/signed-zeros",), ("where", "expm1", "reshape"), zero_added),
    value("nan-bound-passed-over", "A bound that is NaN bounds nothing.",
        ("op/value-at-nan",), ("clip_between",), passes_nan_over),
    value("nan-costs-nothing", "Where a score is NaN the loss is 0.",
        ("op/value-at-nan",), ("multilabel_margin", "softplus", "matmul"), nan_costs_nothing),
)  # fmt: skip
