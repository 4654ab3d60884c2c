"""The memory of the gradients that one call returns, or several calls of one pullback (B5, B7)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from conformance.backend import Backend, Capability, FunctionalBackend
from conformance.case import Array
from conformance.checks.comparison import hold_equal
from conformance.checks.engine_calls import full_sum
from conformance.checks.observation import hold_gradient, overwrite, plain
from conformance.checks.registry import contract
from conformance.checks.sample import SIZES, Sample
from conformance.errors import Unsupported
from conformance.ops.names import ADD, MULTIPLY


def _hold_apart(engine: Backend, gradients: Sequence[Any], expected: Sequence[Array], call: str) -> None:
    """Claim gradients, and that a write into one of them changes no other."""
    for got, right, name in zip(gradients, expected, "xw", strict=True):
        hold_gradient(engine, got, right, f"{name}'s gradient by {call}")
    overwrite(engine, gradients[0], 7.0, f"x's gradient by {call}")
    what = f"w's gradient by {call}, after a write into x's, of shape {expected[0].shape},"
    hold_equal(plain(engine, gradients[1]), expected[1], what)


@contract("B5", "within", Capability.INTERMEDIATES, Capability.WRITABLE)
def gradients_by_arrays_of_a_graph_are_independent(engine: Backend, sample: Sample) -> None:
    """Of the gradients of a sum by its terms, by arrays of the graph, writing into one changes no other."""
    add = engine.op(ADD)
    for shape in (sample.shape, *SIZES):
        x, w, g = (sample.array(shape) for _ in range(3))
        got = engine.gradients_within(
            lambda a, b: ((add(a, b),), (a, b)), [np.array(x), np.array(w)], [np.array(g)]
        )
        _hold_apart(engine, got, [g, g], "gradients_within()")


@contract("B5", "with-value", Capability.VALUE_WITH_GRADIENT, Capability.WRITABLE)
def gradients_with_the_value_are_independent(engine: Backend, sample: Sample) -> None:
    """Of the gradients of (x + w)·g that come with its value, writing into one changes no other."""
    add, multiply, total = engine.op(ADD), engine.op(MULTIPLY), full_sum(engine)
    for shape in (sample.shape, *SIZES):
        x, w, g = (sample.array(shape) for _ in range(3))
        weight = engine.array(np.array(g))
        operands = [engine.array(np.array(x)), engine.array(np.array(w))]
        _, got, _ = engine.value_and_gradient(
            lambda a, b, weight=weight: total(multiply(add(a, b), weight)), operands, (0, 1)
        )
        _hold_apart(engine, got, [g, g], "value_and_gradient()")


@contract("B5", "structured", Capability.STRUCTURES, Capability.WRITABLE)
def gradients_in_a_structure_are_independent(engine: Backend, sample: Sample) -> None:
    """Of the gradients of (x + w)·g in a structure, writing into one changes no other."""
    add, multiply, total = engine.op(ADD), engine.op(MULTIPLY), full_sum(engine)
    for shape in (sample.shape, *SIZES):
        x, w, g = (sample.array(shape) for _ in range(3))
        weight = engine.array(np.array(g))
        got = engine.structured_gradient(
            lambda s, weight=weight: total(multiply(add(s["x"], s["w"]), weight)), {"x": x, "w": w}
        )
        _hold_apart(engine, [got["x"], got["w"]], [g, g], "structured_gradient()")


@contract("B7", "earlier-pull", Capability.RETAINING)
def gradients_of_an_earlier_call_of_a_pullback_stay(engine: Backend, sample: Sample) -> None:
    """The gradients that a call of a pullback returned keep their numbers in its later calls."""
    if not isinstance(engine, FunctionalBackend):
        raise Unsupported(f"{engine.engine} ({engine.mode}) has no pullbacks")
    for shape in (sample.shape, *SIZES):
        x, w = sample.array(shape), sample.array(shape)
        arrays = [engine.array(np.array(x)), engine.array(np.array(w))]
        _, pulled = engine.pullback(engine.op(MULTIPLY), arrays)
        cotangents = [sample.array(shape) for _ in range(3)]
        calls = [pulled(engine.array(np.array(g))) for g in cotangents]
        for n, (gradients, g) in enumerate(zip(calls, cotangents, strict=True), 1):
            for got, slope, name in zip(gradients, (w, x), "xw", strict=True):
                what = f"{name}'s gradient of x w, of shape {shape}, by call {n} of a pullback, read after call 3"
                hold_equal(plain(engine, got), g * slope, what)
