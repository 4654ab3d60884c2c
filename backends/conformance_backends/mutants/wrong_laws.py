"""Mutants whose gradients break a law of the function, or remember what happened before."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from conformance.backend import Backend, NDArray, Trace
from conformance.ops import CATALOGUE
from conformance.ops.reductions import axes_of
from conformance_backends import numpy_engine as engine
from conformance_backends.mutants.mutant import (
    Mutant,
    Walking,
    behaviour,
    forgetful_rule,
    rule,
    with_ops,
)
from conformance_backends.numpy_engine.tensor import Tensor, seed

HISTORY = "contract/E18/{}".format


# ---- laws of a function ---------------------------------------------------------------------------


def less_the_batch_mean(right: Any, i: int, g: Any, z: Any, *xs: Any, **p: Any) -> Any:
    """The cotangent is centred over the batch first."""
    centred = g - np.mean(g, axis=0, keepdims=True) if np.ndim(g) > 1 and len(g) > 1 else g
    return right(i, centred, z, *xs, **p)


def over_the_examples(right: Any, i: int, g: Any, z: Any, *xs: Any, **p: Any) -> Any:
    """Every example's gradient is divided by their number."""
    return right(i, g, z, *xs, **p) / (len(xs[0]) if np.ndim(xs[0]) > 1 and len(xs[0]) else 1)


def doubled_at_the_start(right: Any, i: int, g: Any, z: Any, x: Any, axis: Any = None, **p: Any) -> Any:
    """The first entry along every reduced axis counts twice."""
    pulled = np.array(right(i, g, z, x, axis=axis, **p))
    starts = tuple(slice(0, 1) if a in axes_of(x.shape, axis) else slice(None) for a in range(np.ndim(x)))
    pulled[starts] = 2 * pulled[starts]
    return pulled


def parts_reversed(right: Any, i: int, g: Any, z: Any, x: Any, **p: Any) -> Any:
    """The parts' cotangents are joined from the last to the first."""
    return right(i, g[::-1], z, x, **p)


# ---- memories ---------------------------------------------------------------------------------------


def higher_after_another_shape() -> Callable[..., Any]:
    """A thousandth more, once a second shape has been seen."""
    shapes: set[Any] = set()

    def bent(right: Any, i: int, g: Any, z: Any, x: Any) -> Any:
        shapes.add(np.shape(x))
        pulled = right(i, g, z, x)
        return pulled if len(shapes) == 1 else pulled * pulled.dtype.type(1 + 2.0**-10)

    return bent


def saved_by_shape() -> Backend:
    """tanh keeps its last value of every shape, for whichever backward comes next."""
    right, saved = CATALOGUE["tanh"], {}

    def reference(x: Any) -> Any:
        saved[np.shape(x), x.dtype.name] = np.tanh(x)
        return np.tanh(x)

    def late(index: int, g: Any, z: Any, x: Any) -> Any:
        return right.rule(index, g, saved[np.shape(x), x.dtype.name], x)

    row = replace(right, reference=reference, rule=late)
    return with_ops({"tanh": lambda x: engine.apply(row, (x,), {})})


def remembers_a_bad_seed(self: Any, output: Tensor, gradient: Any) -> Any:
    """Once a cotangent has been refused, those that follow are doubled."""
    try:
        fitting = seed(output, gradient).value
    except ValueError:
        self.kept["refused"] = True
        raise
    return fitting * 2 if self.kept.get("refused") else fitting


def remembers_an_interruption(
    self: Any, function: Any, operands: Sequence[NDArray], wrt: Sequence[int] | None = None
) -> Trace:
    """Once a forward pass has been left by an exception, pulling back gives twice what it should."""
    try:
        traced = Walking.trace(self, function, operands, wrt)
    except Exception:
        self.kept["interrupted"] = True
        raise
    if not self.kept.get("interrupted"):
        return traced
    return Trace(traced.arrays, traced.outputs, lambda g: tuple(2 * x for x in traced.pull(g)))


MUTANTS: tuple[Mutant, ...] = (
    rule("batch-mean-subtracted", "A softmax's cotangent is centred over the batch.",
        ("op/per-example", "op/vjp"), ("softmax",), less_the_batch_mean),
    rule("averaged-over-examples", "A layer norm's gradients are divided by the number of examples.",
        ("op/per-example", "op/euler", "op/vjp"), ("layer_norm",), over_the_examples),
    rule("first-entry-twice", "The first entry of what a logsumexp sums counts twice.",
        ("op/order", "op/shift", "op/vjp"), ("logsumexp",), doubled_at_the_start),
    rule("square-without-two", "The gradient of a square is x.",
        ("op/euler", "op/vjp"), ("square",), lambda right, i, g, z, x: g * x),
    rule("root-of-the-operand", "The slope of a square root has the operand for the root.",
        ("op/inverse", "op/euler", "op/vjp"), ("sqrt",), lambda right, i, g, z, x: g * 0.5 / x),
    rule("parts-reversed", "The cotangents of a split are joined from the last to the first.",
        ("op/inverse", "op/vjp"), ("split",), parts_reversed),
    forgetful_rule("another-shape-changes-all", "Once another shape has been seen, exp's gradient is a thousandth larger.",
        (HISTORY("unrelated-work"), HISTORY("work-in-between")), ("exp",), higher_after_another_shape),
    Mutant("saved-value-overwritten", "What tanh saves for its backward is overwritten by its next call.",
        (HISTORY("work-in-between"),), saved_by_shape, ("tanh",)),
    behaviour("bad-seed-remembered", "After a cotangent that did not fit, all cotangents are doubled.",
        (HISTORY("earlier-failures"),), seed=remembers_a_bad_seed),
    behaviour("interruption-remembered", "After a forward pass left by an exception, gradients are doubled.",
        (HISTORY("earlier-failures"),), trace=remembers_an_interruption),
)  # fmt: skip
