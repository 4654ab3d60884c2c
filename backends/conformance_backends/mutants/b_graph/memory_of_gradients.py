"""Mutants whose gradients share memory within a call, or with those of another call."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from conformance_backends.mutants.b_graph.call_histories import Pullbacks
from conformance_backends.mutants.mutant import Mutant, SteppedTape, behaviour
from conformance_backends.numpy_engine.tensor import Tensor


def one_for_equal(gradients: Sequence[Any]) -> tuple[Any, ...]:
    """Equal gradients are one tensor."""
    return tuple(next(h for h in gradients if h is g or _is_equal(h, g)) for g in gradients)


def _is_equal(first: Any, second: Any) -> bool:
    both = isinstance(first, Tensor) and isinstance(second, Tensor)
    return both and np.array_equal(first.value, second.value)


def shared_within(self: Any, function: Any, operands: Any, cotangents: Any) -> Any:
    """Equal gradients by arrays of a graph are one tensor."""
    return one_for_equal(SteppedTape.gradients_within(self, function, operands, cotangents))


def shared_with_value(self: Any, function: Any, arrays: Any, wrt: Any, *, auxiliary: bool = False) -> Any:
    """Equal gradients that come with the value are one tensor."""
    value, gradients, beside = SteppedTape.value_and_gradient(
        self, function, arrays, wrt, auxiliary=auxiliary
    )
    return value, one_for_equal(gradients) if isinstance(gradients, tuple) else gradients, beside


def shared_in_structure(self: Any, function: Any, structure: Any) -> Any:
    """Equal gradients of a dict are one tensor."""
    found = SteppedTape.structured_gradient(self, function, structure)
    if not isinstance(found, dict):
        return found
    return dict(zip(found, one_for_equal(tuple(found.values())), strict=True))


def into_one_buffer(self: Any, one: Any, given: Any) -> Any:
    """Every call of a pullback writes its gradients into the arrays of the first."""
    found = Pullbacks.pulled(self, one, given)
    if any(g is None for g in found):
        return found
    buffers = one.setdefault("buffers", [Tensor(np.array(g.value)) for g in found])
    for buffer, g in zip(buffers, found, strict=True):
        buffer.value[...] = g.value
    return tuple(buffers)


MUTANTS: tuple[Mutant, ...] = (
    behaviour("gradients-within-shared", "Equal gradients by arrays of a graph are one array.",
        ("contract/B5/within",), ops=("add",), gradients_within=shared_within),
    behaviour("gradients-with-value-shared", "Equal gradients that come with the value are one array.",
        ("contract/B5/with-value",), ops=("add",), value_and_gradient=shared_with_value),
    behaviour("gradients-in-structure-shared", "Equal gradients in one structure are one array.",
        ("contract/B5/structured",), ops=("add",), structured_gradient=shared_in_structure),
    behaviour("pullback-has-one-buffer", "Every call of a pullback writes its gradients into the arrays of the first.",
        ("contract/B7/earlier-pull",), base=Pullbacks, pulled=into_one_buffer),
)  # fmt: skip
