"""Mutants in which a NaN in one entry changes the gradients of others."""

from __future__ import annotations

from typing import Any

import numpy as np

from conformance_backends.mutants.mutant import Mutant, rule, value


def scaled_by_the_largest(right: Any, i: int, g: Any, z: Any, *xs: Any, **p: Any) -> Any:
    """The cotangent is scaled down by the largest operand, and the gradient up again, against overflow."""
    largest = max(2.0 ** np.floor(np.log2(np.abs(x).max(initial=1.0))) for x in xs)
    return right(i, (g / largest).astype(g.dtype), z, *xs, **p) * g.dtype.type(largest)


def silent_where_any_is_nan(right: Any, i: int, g: Any, z: Any, *xs: Any, **p: Any) -> Any:
    """A gradient is zero if any operand has a NaN."""
    pulled = right(i, g, z, *xs, **p)
    return np.zeros_like(pulled) if any(np.isnan(x).any() for x in xs) else pulled


def cleaned(right: Any, i: int, g: Any, z: Any, *xs: Any, **p: Any) -> Any:
    """Where any gradient is infinite, all are divided by one factor."""
    pulled = right(i, g, z, *xs, **p)
    return pulled if np.isfinite(pulled).all() else pulled / np.abs(pulled).max(initial=1.0)


def silent_where_a_cotangent_is_nan(right: Any, i: int, g: Any, z: Any, *xs: Any, **p: Any) -> Any:
    """A gradient is zero if the cotangent has an entry that is no finite number."""
    pulled = right(i, g, z, *xs, **p)
    return pulled if np.isfinite(g).all() else np.zeros_like(pulled)


def without_nan(right: Any, i: int, g: Any, z: Any, *xs: Any, **p: Any) -> Any:
    """What is NaN in a gradient becomes zero."""
    return np.nan_to_num(right(i, g, z, *xs, **p), nan=0.0, posinf=np.inf, neginf=-np.inf)


def without_infinity(right: Any, i: int, g: Any, z: Any, *xs: Any, **p: Any) -> Any:
    """What is infinite in a cotangent becomes the largest number."""
    return right(i, np.nan_to_num(g, nan=np.nan), z, *xs, **p)


def times_one(right: Any, i: int, g: Any, z: Any, *xs: Any, **p: Any) -> Any:
    """The gradient is multiplied by x⁰, which is 1 everywhere, but computed as x/x: of NaN it is NaN."""
    pulled = right(i, g, z, *xs, **p)
    return pulled * np.where(xs[i] == 0, 1, xs[i] / np.where(xs[i] == 0, 1, xs[i])).astype(pulled.dtype)


def by_running_sums(right: Any, x: Any, **p: Any) -> Any:
    """The means of windows as differences of running sums."""
    if not p["count_include_pad"] or x.dtype.kind != "f":
        return right(x, **p)
    size, margin = p["kernel_size"], p["padding"]
    sums = np.cumsum(np.pad(x, ((0, 0), (0, 0), (margin + 1, margin))), axis=2)
    windows = (sums[:, :, size:] - sums[:, :, :-size])[:, :, :: p["stride"]]
    return (windows / size).astype(x.dtype)


BESIDE = ("op/beside-nan",)
ARRIVES = ("op/nan-cotangent-arrives",)


def silent_below(right: Any, i: int, g: Any, z: Any, *xs: Any, **p: Any) -> Any:
    """A cotangent of minus infinity counts as zero."""
    return right(i, np.where(np.isneginf(g), 0, g).astype(g.dtype), z, *xs, **p)


MUTANTS: tuple[Mutant, ...] = (
    value("windows-by-running-sums", "A NaN in one window reaches the means of those behind it.",
        BESIDE, ("avg_pool1d",), by_running_sums),
    rule("scaled-by-the-largest", "The largest of all operands scales every cotangent, so that one NaN reaches every gradient.",
        BESIDE, ("tanh", "multiply"), scaled_by_the_largest),
    rule("zero-beside-a-nan", "A NaN among the operands makes every gradient zero.",
        BESIDE, ("exp", "softmax"), silent_where_any_is_nan),
    rule("clipped-by-the-norm", "A gradient that is not finite makes all other gradients smaller.",
        BESIDE, ("square",), cleaned),
    rule("zero-for-a-nan-cotangent", "A NaN in the cotangent makes every gradient zero.",
        ("op/beside-nan-cotangent",), ("tanh", "softmax"), silent_where_a_cotangent_is_nan),
    rule("no-nan-in-a-gradient", "What is NaN in a gradient becomes zero.",
        ARRIVES, ("cos", "max", "matmul"), without_nan),
    rule("no-infinity-in-a-cotangent", "What is infinite in a cotangent becomes the largest number of its dtype.",
        ARRIVES, ("sin", "logsumexp", "reshape"), without_infinity),
    rule("times-x-over-x", "The gradient of a linear op is multiplied by x/x, which is NaN where x is.",
        ("op/linear-at-nan",), ("sum", "roll"), times_one),
    rule("minus-infinity-is-zero", "The gradient of sin takes a cotangent of minus infinity for zero.",
        ("op/nan-cotangent-arrives",), ("sin",), silent_below),
)  # fmt: skip
