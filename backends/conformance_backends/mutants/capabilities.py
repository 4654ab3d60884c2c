"""Mutants that declare a capability which they do not have."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from conformance.errors import Unsupported
from conformance_backends import numpy_engine as engine
from conformance_backends.mutants.a_results.complex_numbers import COMPLEX, Complex
from conformance_backends.mutants.mutant import Mutant, SteppedTape, WithTransforms, behaviour
from conformance_backends.numpy_engine.graph import set_recording
from conformance_backends.numpy_engine.structures import arrays_in, rebuilt
from conformance_backends.numpy_engine.tensor import Tensor, detach


def zeros_kept(self: Any, leaf: Any) -> Any:
    """What arrives at a leaf is not kept."""
    return None if leaf.grad is None else np.zeros_like(leaf.grad)


def nothing_kept(self: Any, leaf: Any) -> Any:
    """A leaf has no gradient, whatever arrives."""


def gradients_are_constants(self: Any, function: Any, arrays: Any, cotangents: Any) -> tuple[Any, ...]:
    """The gradient is detached."""
    return tuple(Tensor(detach(g)) for g in SteppedTape.nested_vjp(self, function, arrays, cotangents))


def nested_seeds_are_ones(self: Any, function: Any, arrays: Any, cotangents: Any) -> tuple[Any, ...]:
    """The seed of the gradient is replaced by ones."""
    return SteppedTape.nested_vjp(self, function, arrays, [np.ones_like(detach(g)) for g in cotangents])


def first_tangent_alone(self: Any, function: Any, operands: Any, tangents: Any) -> Any:
    """Only the first operand is perturbed."""
    rest = [np.zeros_like(t) for t in tangents[1:]]
    return SteppedTape.jvp(self, function, operands, [tangents[0], *rest])


def pulled_instead_of_pushed(self: Any, function: Any, operands: Any, tangents: Any) -> Any:
    """The gradient is given for the tangent."""
    outputs, _ = SteppedTape.jvp(self, function, operands, tangents)
    return outputs, SteppedTape.vjp(self, function, operands, tangents[:1])[1][:1]


def loses_its_history(self: Any, function: Any) -> Callable[..., Any]:
    """The result is a constant."""

    def call(*operands: Any) -> Any:
        with engine.no_grad():
            return function(*operands)

    return call


def recomputed_elsewhere(self: Any, function: Any) -> Callable[..., Any]:
    """In the backward pass the function is computed with the first operand increased by one."""

    def backward(g: Any, first: Any, *rest: Any) -> Any:
        with set_recording(True):
            _, pullback = engine.vjp(function, first + 1, *rest)
        return tuple(detach(x) for x in pullback(g))

    return engine.custom(lambda *xs: detach(function(*xs)), backward)


def written_as_constant(self: Any, array: Any, index: Any, value: Any) -> None:
    """The value written is recorded as a constant."""
    SteppedTape.assign(self, array, index, detach(value))


def flat_structure(self: Any, function: Any, structure: Any) -> Any:
    """The gradients are returned in a list, whatever the structure of the operands."""
    return arrays_in(SteppedTape.structured_gradient(self, function, structure))


def swapped_structure(self: Any, function: Any, structure: Any) -> Any:
    """The structure is right; the first two gradients are swapped."""
    first, second, *rest = arrays_in(SteppedTape.structured_gradient(self, function, structure))
    return rebuilt(structure, iter([second, first, *rest]))


def rows_for_ones(self: Any, function: Any, operands: Any, kind: str = "rows") -> Any:
    """Every row of a Jacobian is their sum."""
    found = SteppedTape.jacobian(self, function, operands, kind)
    return [np.broadcast_to(np.sum(j.value, axis=0), j.shape) if j.ndim else j for j in found]


class RealLoss(Complex):
    """Complex numbers, and a real loss of them."""

    capabilities = COMPLEX

    def __init__(self) -> None:
        super().__init__()
        real = engine.custom(np.real, lambda g, a: (g.astype(a.dtype),))
        self.ops = {**self.ops, "real": real}  # type: ignore[misc]


def real_part_alone(self: Any, leaf: Any) -> Any:
    """The imaginary part of a gradient is lost."""
    return leaf.grad if leaf.grad is None else leaf.grad.real.astype(leaf.dtype)


def missing(what: str) -> Any:
    """A method that raises Unsupported."""

    def method(self: Any, *arguments: Any, **keywords: Any) -> Any:
        raise Unsupported(f"no {what}")

    return method


def copied_memory(self: Any, array: Any) -> Any:
    """A copy: what is written into it is lost."""
    return np.array(self.numpy(array))


MUTANTS: tuple[Mutant, ...] = (
    behaviour("zeros-kept", "Leaves store zeros instead of gradients.", ("capability/tape",), grad=zeros_kept),
    behaviour("nothing-kept", "Leaves store no gradient.", ("capability/tape", "contract/B3/two-calls"), grad=nothing_kept),
    behaviour("gradients-are-constants", "A gradient has no gradient of its own.",
        ("capability/higher-order",), nested_vjp=gradients_are_constants),
    behaviour("nested-seeds-are-ones", "A gradient that is differentiated again is seeded with ones.",
        ("capability/higher-order",), nested_vjp=nested_seeds_are_ones),
    behaviour("first-tangent-alone", "In forward mode only the first operand is perturbed.",
        ("capability/forward",), jvp=first_tangent_alone),
    behaviour("pulled-instead-of-pushed", "Forward mode returns the gradient.",
        ("capability/forward",), jvp=pulled_instead_of_pushed),
    behaviour("compiled-without-history", "A compiled function has no gradient.",
        ("capability/compiling",), base=WithTransforms, compiled=loses_its_history),
    behaviour("checkpoint-without-history", "A checkpointed function has no gradient.",
        ("capability/checkpointing",), checkpoint=loses_its_history),
    behaviour("checkpoint-perturbed", "A checkpointed function is recomputed at other operands.",
        ("capability/checkpointing",), checkpoint=recomputed_elsewhere),
    behaviour("write-of-a-constant", "What is written in place gets no gradient.",
        ("capability/recorded-writes",), assign=written_as_constant),
    behaviour("structure-flattened", "The gradient of a structure is a list.",
        ("capability/structures",), structured_gradient=flat_structure),
    behaviour("structure-swapped", "The first two gradients in a structure are swapped.",
        ("capability/structures",), structured_gradient=swapped_structure),
    behaviour("jacobian-by-ones", "A whole Jacobian has the gradient for a cotangent of ones in every row.",
        ("capability/jacobians",), jacobian=rows_for_ones),
    behaviour("imaginary-part-lost", "The gradient of a complex operand is real.",
        ("capability/complex",), base=RealLoss, grad=real_part_alone),
    behaviour("memory-is-a-copy", "The memory that the adapter returns is a copy of the array's.",
        ("capability/writable",), memory=copied_memory),
    behaviour("writable-only-declared", "Writable arrays are declared, but not implemented.",
        ("capability/writable",), memory=missing("memory")),
    behaviour("clearing-only-declared", "Clearing is declared, but not implemented.",
        ("capability/clearing",), clear=missing("clearing")),
    behaviour("no-grad-only-declared", "A no_grad scope is declared, but not implemented.",
        ("capability/no-grad",), no_grad=missing("scope")),
    behaviour("detach-only-declared", "Detaching is declared, but not implemented.",
        ("capability/detach",), detach=missing("detach")),
    behaviour("custom-rule-only-declared", "Custom rules are declared, but not implemented.",
        ("capability/custom-rule",), custom=missing("custom rules")),
    behaviour("graph-only-declared", "The graph is declared, but not implemented.", ("capability/graph",), graph=missing("graph")),
    behaviour("checkpointing-only-declared", "Checkpointing is declared, but not implemented.",
        ("capability/checkpointing",), checkpoint=missing("checkpoints")),
    behaviour("freezing-only-declared", "Freezing is declared, but not implemented.",
        ("capability/freezing",), needs_gradient=missing("freezing")),
    behaviour("value-with-gradient-only-declared", "A value with its gradients is declared, but not implemented.",
        ("capability/value-with-gradient",), value_and_gradient=missing("value with gradients")),
    behaviour("loops-only-declared", "Loops are declared, but not implemented.", ("capability/loops",), scan=missing("loops")),
    behaviour("branches-only-declared", "Branches are declared, but not implemented.",
        ("capability/branches",), branch=missing("branches")),
    behaviour("hooks-only-declared", "Hooks are declared, but not implemented.", ("capability/hooks",), hook=missing("hooks")),
    behaviour("anomaly-only-declared", "Anomaly mode is declared, but not implemented.",
        ("capability/anomaly",), anomaly=missing("scope")),
    behaviour("recorded-writes-only-declared", "Recorded writes are declared, but not implemented.",
        ("capability/recorded-writes",), assign=missing("writes")),
)  # fmt: skip
