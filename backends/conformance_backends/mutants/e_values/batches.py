"""Mutants whose examples in a batch affect each other."""

from __future__ import annotations

from typing import Any

import numpy as np

from conformance_backends.mutants.mutant import Mutant, rule


def less_the_batch_mean(right: Any, i: int, g: Any, z: Any, *xs: Any, **p: Any) -> Any:
    """The cotangent is centred over the batch first."""
    centred = g - np.mean(g, axis=0, keepdims=True) if np.ndim(g) > 1 and len(g) > 1 else g
    return right(i, centred, z, *xs, **p)


def over_the_examples(right: Any, i: int, g: Any, z: Any, *xs: Any, **p: Any) -> Any:
    """Every example's gradient is divided by their number."""
    return right(i, g, z, *xs, **p) / (len(xs[0]) if np.ndim(xs[0]) > 1 and len(xs[0]) else 1)


def over_the_batch(right: Any, i: int, g: Any, z: Any, a: Any, b: Any) -> Any:
    """The weight's gradient divided by the number of rows."""
    pulled = right(i, g, z, a, b)
    return pulled / a.shape[0] if i == 1 and np.ndim(a) == 2 and len(a) else pulled


MUTANTS: tuple[Mutant, ...] = (
    rule("batch-mean-subtracted", "A softmax's cotangent is centred over the batch.",
        ("op/per-example", "op/vjp"), ("softmax",), less_the_batch_mean),
    rule("averaged-over-examples", "A layer norm's gradients are divided by the number of examples.",
        ("op/per-example", "op/euler", "op/vjp"), ("layer_norm",), over_the_examples),
    rule("matmul-over-batch", "The weight's gradient is averaged over the batch instead of summed.",
        ("op/vjp", "op/per-example", "contract/B16/batch-is-sum", "example/W7/batch-reductions"), ("matmul",), over_the_batch),
)  # fmt: skip
