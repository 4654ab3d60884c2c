"""Mutants whose state is wrong after an exception."""

from __future__ import annotations

from typing import Any

import numpy as np

from conformance_backends import numpy_engine as engine
from conformance_backends.mutants.mutant import (
    AdapterScopedNoGrad,
    LeafCotangents,
    Mutant,
    SteppedTape,
    behaviour,
)
from conformance_backends.numpy_engine.graph import Accumulation, Edge


def errors_swallowed(self: Any, output: Any, gradient: Any = None, *, retain: bool = False) -> None:
    """An exception in a rule ends the backward pass without an error."""
    try:
        SteppedTape.backward(self, output, gradient)
    except (TypeError, ValueError, RuntimeError):
        raise
    except Exception:
        self.kept["failed"] = True


def stopped_by_any(self: Any, output: Any, gradient: Any = None, *, retain: bool = False) -> None:
    """After an error in a backward pass nothing is recorded."""
    try:
        SteppedTape.backward(self, output, gradient)
    except Exception:
        self.is_stopped = True
        raise


def resumed_by_any(self: Any, output: Any, gradient: Any = None, *, retain: bool = False) -> None:
    """After an error in a backward pass recording resumes, also in a no_grad scope."""
    try:
        SteppedTape.backward(self, output, gradient)
    except Exception:
        self.is_stopped = False
        raise


def direct_leaves_first(self: Any, edge: Edge, cotangent: Any) -> LeafCotangents:
    """Leaves next to the output receive gradients before the rest of the backward pass runs."""
    return filled_first(self, edge, cotangent, [n for n in edge[0].inputs if isinstance(n, Accumulation)])


def newest_leaf_first(self: Any, edge: Edge, cotangent: Any) -> LeafCotangents:
    """A leaf next to the output that is newer than the other operand receives its gradient when its turn comes."""
    newest = max((n for n in edge[0].inputs if n), key=lambda n: n.number, default=None)
    return filled_first(self, edge, cotangent, [newest] if isinstance(newest, Accumulation) else [])


def filled_first(self: Any, edge: Edge, cotangent: Any, direct: list[Accumulation]) -> LeafCotangents:
    """A backward pass before which some leaves next to the output receive their gradients."""
    ended = {}
    for leaf in direct:
        SteppedTape.accumulate(self, leaf.variable, np.asarray(cotangent))
    try:
        ended = SteppedTape.traverse(self, edge, cotangent)
    finally:
        if ended:
            for leaf in direct:
                leaf.variable.grad = leaf.variable.grad - np.asarray(cotangent)
    return ended


def doubled_after_failure(self: Any, output: Any, gradient: Any = None, *, retain: bool = False) -> None:
    """The backward pass after a failed one runs twice."""
    try:
        SteppedTape.backward(self, output, gradient)
        if self.kept.pop("failed", False):
            SteppedTape.backward(self, output, gradient)
    except Exception:
        self.kept["failed"] = True
        raise


def stopped_by_a_function(self: Any, function: Any, operands: Any, wrt: Any = None) -> Any:
    """A function that raises leaves recording stopped."""
    try:
        return AdapterScopedNoGrad.trace(self, function, operands, wrt)
    except Exception:
        self.is_stopped = True
        raise


def not_implemented_is_none(self: Any, forward: Any, backward: Any) -> Any:
    """A rule that raises NotImplementedError or a KeyError has no gradient."""

    def lenient(g: Any, *xs: Any) -> Any:
        try:
            return backward(g, *xs)
        except (NotImplementedError, KeyError):
            return (None,) * len(xs)

    return engine.custom(forward, lenient)


def freed_by_a_refusal(self: Any, output: Any, gradient: Any = None, *, retain: bool = False) -> None:
    """A backward pass that is refused takes the graph with it; the next from there ends without an error."""
    if id(output) in (freed := self.kept.setdefault("freed", {})):
        return
    try:
        SteppedTape.backward(self, output, gradient, retain=retain)
    except ValueError:
        freed[id(output)] = output
        raise


MUTANTS: tuple[Mutant, ...] = (
    behaviour("not-implemented-is-none", "A custom rule that raises NotImplementedError or a KeyError passes for one without a gradient.",
        ("contract/B14/of-any-type",), custom=not_implemented_is_none),
    behaviour("errors-swallowed", "An exception in a rule ends the backward pass without an error.",
        ("contract/B14/exception-in-rule",), backward=errors_swallowed),
    behaviour("stopped-by-any-error", "After an error in a backward pass nothing is recorded.",
        ("contract/B14/exception-in-rule", "contract/B18/after-refusals"), base=AdapterScopedNoGrad, backward=stopped_by_any),
    behaviour("resumed-by-any-error", "An error in a backward pass ends the no_grad scope around it.",
        ("contract/B14/exception-in-rule",), base=AdapterScopedNoGrad, backward=resumed_by_any),
    behaviour("leaves-filled-early", "Some leaves receive gradients before a backward pass fails.",
        ("contract/B14/gradients-unchanged",), traverse=direct_leaves_first),
    behaviour("newest-leaf-filled-early", "A leaf that is newer than what raises receives its gradient before a backward pass fails.",
        ("contract/B14/gradients-unchanged",), traverse=newest_leaf_first),
    behaviour("next-backward-doubled", "The first backward pass after a failed one runs twice.",
        ("contract/B18/after-refusals", "contract/B14/exception-in-rule"), backward=doubled_after_failure),
    behaviour("freed-by-a-refusal", "A backward pass that is refused takes the graph with it; the next from there ends without an error.",
        ("contract/B18/after-refused-pass",), backward=freed_by_a_refusal),
    behaviour("stopped-by-a-function", "After a function that raises, nothing is recorded.",
        ("contract/B18/after-refusals", "op/invalid-call"), base=AdapterScopedNoGrad, trace=stopped_by_a_function),
)  # fmt: skip
