"""Mutants that are wrong in a second backward pass over the same graph."""

from __future__ import annotations

from typing import Any

import numpy as np

from conformance_backends import numpy_engine as engine
from conformance_backends.mutants.b_graph.call_histories import Pullbacks
from conformance_backends.mutants.mutant import Mutant, SteppedTape, behaviour
from conformance_backends.numpy_engine.tensor import Tensor


def nothing_in_second_backward(self: Any, output: Any, gradient: Any = None, *, retain: bool = False) -> None:
    """The second backward pass over a graph does nothing."""
    if output.is_leaf or self.kept.get("last") is not output:
        SteppedTape.backward(self, output, gradient)
    self.kept["last"] = output


def not_reset_between_backwards(
    self: Any, output: Any, gradient: Any = None, *, retain: bool = False
) -> None:
    """The second backward pass over a graph starts from the first one's cotangent plus its own."""
    last, cotangent = self.kept.get("last", (None, None))
    if last is output and cotangent is not None and gradient is not None:
        gradient = Tensor(gradient.value + cotangent)
    SteppedTape.backward(self, output, gradient)
    self.kept["last"] = output, None if gradient is None else gradient.value.copy()


def freed_after_one_backward(self: Any, output: Any, gradient: Any = None, *, retain: bool = False) -> None:
    """The second backward pass over a graph is refused, retained or not."""
    if self.kept.get("last") is output and not output.is_leaf:
        raise RuntimeError("the graph has been freed")
    self.kept["last"] = output
    SteppedTape.backward(self, output, gradient)


def over_freed_values(self: Any, output: Any, gradient: Any = None, *, retain: bool = False) -> None:
    """The second backward pass over a graph starts from zeros."""
    is_second = self.kept.get("last") is output
    SteppedTape.backward(self, output, Tensor(np.zeros_like(output.value)) if is_second else gradient)
    self.kept["last"] = output


def refused_after_storing(self: Any, output: Any, gradient: Any = None, *, retain: bool = False) -> None:
    """A second backward pass over the same graph is refused after it has changed the leaves."""
    SteppedTape.backward(self, output, gradient)
    if self.kept.get("last") is output and not retain:
        raise RuntimeError("the graph has been freed")
    self.kept["last"] = output


def first_output_again(self: Any, edge: Any, cotangent: Any) -> Any:
    """A graph is known by its node: another output of it has no gradient."""
    first = self.kept.setdefault(edge[0], edge[1])
    return SteppedTape.traverse(self, edge, cotangent if edge[1] == first else cotangent * 0)


def answers_kept(self: Any, forward: Any, backward: Any) -> Any:
    """What a custom rule returns first for a call is returned in every later pass over it."""

    def operation(*operands: Any) -> Any:
        kept: list[Any] = []

        def first(g: Any, *xs: Any) -> Any:
            if not kept:
                kept.append(backward(g, *xs))
            return kept[0]

        return engine.custom(forward, first)(*operands)

    return operation


def remembered_by_array(self: Any, output: Any, gradient: Any) -> Any:
    """The cotangent of a pass that gets the same array as one before is that of the pass before."""
    key = id(output), id(gradient)
    kept = self.kept.setdefault(key, (output, gradient, np.array(SteppedTape.seed(self, output, gradient))))
    return kept[-1]


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
    behaviour("second-backward-adds-nothing", "A second backward pass over a retained graph adds nothing.",
        ("contract/B7/retained",), backward=nothing_in_second_backward),
    behaviour("second-backward-stale", "A second backward pass over a retained graph starts from the cotangents of the first one.",
        ("contract/B7/retained",), backward=not_reset_between_backwards),
    behaviour("second-backward-refused", "A graph is freed although it was to be retained.",
        ("contract/B7/retained", "capability/retaining"), backward=freed_after_one_backward),
    behaviour("freed-graph-read", "A second backward pass over a graph reads freed values.",
        ("contract/B6/walked-twice",), backward=over_freed_values),
    behaviour("refused-too-late", "A second backward pass is refused after it has changed the leaves.",
        ("contract/B6/walked-twice",), backward=refused_after_storing),
    behaviour("retained-for-one-output", "A retained graph is differentiated from the output that was first alone.",
        ("contract/B7/outputs-in-turn",), traverse=first_output_again),
    behaviour("rule-answers-kept", "In a second pass over a retained graph a custom rule's first answer is used again.",
        ("contract/B7/other-cotangents",), custom=answers_kept),
    behaviour("pullback-remembers-by-array", "A pass that gets the same gradient argument as one before has that one's numbers.",
        ("contract/B7/changed-cotangent",), seed=remembered_by_array),
    behaviour("pullback-has-one-buffer", "Every call of a pullback writes its gradients into the arrays of the first.",
        ("contract/B7/earlier-pull",), base=Pullbacks, pulled=into_one_buffer),
)  # fmt: skip
