"""Mutants that answer what has no meaning, or are not the same after an error."""

from __future__ import annotations

from typing import Any

import numpy as np

from conformance_backends.mutants.mutant import Mutant, Scoped, Walking, behaviour, value, with_ops
from conformance_backends.numpy_engine.graph import Accumulation, Edge, Node

# ---- calls without a meaning ---------------------------------------------------------------------------


def cut_to_fit(a: Any, b: Any) -> Any:
    """Operands that do not fit are cut to the shorter of them."""
    if a.ndim == b.ndim == 1 and 1 not in a.shape + b.shape:
        shortest = min(len(a.value), len(b.value))
        a, b = a[:shortest], b[:shortest]
    return MULTIPLY(a, b)


def inner_cut(right: Any, a: Any, b: Any) -> Any:
    """A product of matrices over as many inner entries as both have, as a kernel that trusts one of them."""
    inner = min(a.shape[-1], b.shape[-2]) if a.ndim > 1 and b.ndim > 1 else None
    return right(a, b) if inner is None else right(a[..., :inner], b[..., :inner, :])


def axis_wrapped(x: Any, axis: int) -> Any:
    """An axis out of range is counted round."""
    return SOFTMAX(x, axis=axis % x.ndim)


MULTIPLY, SOFTMAX = Walking.ops["multiply"], Walking.ops["softmax"]

# ---- after an error --------------------------------------------------------------------------------------


def errors_swallowed(self: Any, output: Any, gradient: Any = None, *, retain: bool = False) -> None:
    """An exception in a rule ends the walk, and is forgotten."""
    try:
        Walking.backward(self, output, gradient)
    except (TypeError, ValueError, RuntimeError):
        raise
    except Exception:
        self.kept["failed"] = True


def stopped_by_any(self: Any, output: Any, gradient: Any = None, *, retain: bool = False) -> None:
    """Whatever ends a walk, nothing is recorded from then on."""
    try:
        Walking.backward(self, output, gradient)
    except Exception:
        self.is_stopped = True
        raise


def resumed_by_any(self: Any, output: Any, gradient: Any = None, *, retain: bool = False) -> None:
    """Whatever ends a walk, recording resumes, also in a scope without it."""
    try:
        Walking.backward(self, output, gradient)
    except Exception:
        self.is_stopped = False
        raise


def accumulated_on_the_way(self: Any, edge: Edge, cotangent: Any) -> dict[Node, list[Any]]:
    """Leaves next to the output are filled before the rest is walked."""
    direct = [n for n in edge[0].inputs if isinstance(n, Accumulation)]
    ended = {}
    for leaf in direct:
        Walking.accumulate(self, leaf.variable, np.asarray(cotangent))
    try:
        ended = Walking.walk(self, edge, cotangent)
    finally:
        if ended:
            for leaf in direct:
                leaf.variable.grad = leaf.variable.grad - np.asarray(cotangent)
    return ended


def doubled_after_failure(self: Any, output: Any, gradient: Any = None, *, retain: bool = False) -> None:
    """What an error left unfinished is added to the next walk."""
    try:
        Walking.backward(self, output, gradient)
        if self.kept.pop("failed", False):
            Walking.backward(self, output, gradient)
    except Exception:
        self.kept["failed"] = True
        raise


def stopped_by_a_function(self: Any, function: Any, operands: Any, wrt: Any = None) -> Any:
    """A function that raises leaves recording stopped."""
    try:
        return Scoped.trace(self, function, operands, wrt)
    except Exception:
        self.is_stopped = True
        raise


# ---- structures ------------------------------------------------------------------------------------------


def sorted_by_key(self: Any, function: Any, structure: Any) -> Any:
    """The gradients of a dictionary are handed out in the order of its keys, and put in that of its making."""
    gradient = Walking.structured_gradient(self, function, structure)
    if isinstance(gradient, dict):
        gradient["rest"] = dict(
            zip(gradient["rest"], [gradient["rest"][k] for k in sorted(gradient["rest"])], strict=True)
        )
    return gradient


def flattened(self: Any, function: Any, structure: Any) -> Any:
    """The gradients come as one flat tuple."""
    gradient = Walking.structured_gradient(self, function, structure)
    return gradient if isinstance(gradient, dict) else (gradient[0], *gradient[1])


MUTANTS: tuple[Mutant, ...] = (
    Mutant("misfits-cut", "Operands that do not fit are cut to the shorter.",
        ("op/invalid-call",), lambda: with_ops({"multiply": cut_to_fit}), ("multiply",)),
    value("inner-dimension-cut", "A product of matrices whose inner dimensions differ is answered.",
        ("op/invalid-call",), ("matmul",), inner_cut),
    Mutant("axis-wrapped", "An axis out of range is counted round.",
        ("op/invalid-call",), lambda: with_ops({"softmax": axis_wrapped}), ("softmax",)),
    behaviour("errors-swallowed", "A walk that an exception in a rule ends is taken for one that arrived.",
        ("contract/B14/exception-in-rule",), backward=errors_swallowed),
    behaviour("stopped-by-any-error", "After an error in a walk nothing is recorded.",
        ("contract/B14/exception-in-rule", "contract/B18/after-refusals"), base=Scoped, backward=stopped_by_any),
    behaviour("resumed-by-any-error", "An error in a walk ends the scope without recording around it.",
        ("contract/B14/exception-in-rule",), base=Scoped, backward=resumed_by_any),
    behaviour("leaves-filled-early", "Some leaves have been filled before a walk fails.",
        ("contract/B14/gradients-unchanged",), walk=accumulated_on_the_way),
    behaviour("next-walk-doubled", "The first walk after a failed one is walked twice.",
        ("contract/B18/after-refusals", "contract/B14/exception-in-rule"), backward=doubled_after_failure),
    behaviour("stopped-by-a-function", "After a function that raises nothing is recorded.",
        ("contract/B18/after-refusals", "op/invalid-call"), base=Scoped, trace=stopped_by_a_function),
    behaviour("structure-in-order-of-keys", "The gradients of a dictionary are put in the order of its keys.",
        ("contract/A21/same-structure",), structured_gradient=sorted_by_key),
    behaviour("nested-structure-flattened", "The gradients of nested tuples come flat.",
        ("contract/A21/same-structure",), structured_gradient=flattened),
)  # fmt: skip
