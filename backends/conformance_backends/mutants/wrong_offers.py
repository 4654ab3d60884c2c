"""Mutants wrong in what they offer beyond gradients."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from conformance_backends import numpy_engine as engine
from conformance_backends.mutants.mutant import Mutant, Running, Walking, behaviour
from conformance_backends.mutants.wrong_kinds import COMPLEX, Complex
from conformance_backends.numpy_engine.graph import set_recording
from conformance_backends.numpy_engine.structures import arrays_in, rebuilt
from conformance_backends.numpy_engine.tensor import Tensor, detach

# ---- gradients of gradients, and forward mode ----------------------------------------------------------


def gradients_are_constants(self: Any, function: Any, arrays: Any, cotangents: Any) -> tuple[Any, ...]:
    """The gradient's own history is cut."""
    return tuple(Tensor(detach(g)) for g in Walking.nested_vjp(self, function, arrays, cotangents))


def nested_seeds_are_ones(self: Any, function: Any, arrays: Any, cotangents: Any) -> tuple[Any, ...]:
    """What the gradient is seeded with is overlooked."""
    return Walking.nested_vjp(self, function, arrays, [np.ones_like(detach(g)) for g in cotangents])


def first_tangent_alone(self: Any, function: Any, operands: Any, tangents: Any) -> Any:
    """Only the first operand moves."""
    rest = [np.zeros_like(t) for t in tangents[1:]]
    return Walking.jvp(self, function, operands, [tangents[0], *rest])


def pulled_instead_of_pushed(self: Any, function: Any, operands: Any, tangents: Any) -> Any:
    """The gradient is given for the tangent."""
    outputs, _ = Walking.jvp(self, function, operands, tangents)
    return outputs, Walking.vjp(self, function, operands, tangents[:1])[1][:1]


# ---- other ways to run a function ------------------------------------------------------------------------


def loses_its_history(self: Any, function: Any) -> Callable[..., Any]:
    """What comes out is the value alone."""

    def call(*operands: Any) -> Any:
        with engine.no_grad():
            return function(*operands)

    return call


def computed_anew_elsewhere(self: Any, function: Any) -> Callable[..., Any]:
    """On the way back the function is computed where the first operand is one more."""

    def backward(g: Any, first: Any, *rest: Any) -> Any:
        with set_recording(True):
            _, pullback = engine.vjp(function, first + 1, *rest)
        return tuple(detach(x) for x in pullback(g))

    return engine.custom(lambda *xs: detach(function(*xs)), backward)


# ---- writing --------------------------------------------------------------------------------------------------


def written_as_constant(self: Any, array: Any, index: Any, value: Any) -> None:
    """What is written is recorded as a constant."""
    Walking.assign(self, array, index, detach(value))


# ---- structures and complex numbers --------------------------------------------------------------------------


def flat_structure(self: Any, function: Any, structure: Any) -> Any:
    """The gradients come in a list, however the operands came."""
    return arrays_in(Walking.structured_gradient(self, function, structure))


def swapped_structure(self: Any, function: Any, structure: Any) -> Any:
    """The structure is right; the first two gradients are in each other's places."""
    first, second, *rest = arrays_in(Walking.structured_gradient(self, function, structure))
    return rebuilt(structure, iter([second, first, *rest]))


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


MUTANTS: tuple[Mutant, ...] = (
    behaviour("gradients-are-constants", "A gradient has no gradient of its own.",
        ("capability/higher-order",), nested_vjp=gradients_are_constants),
    behaviour("nested-seeds-are-ones", "A gradient that is differentiated again is seeded with ones.",
        ("capability/higher-order",), nested_vjp=nested_seeds_are_ones),
    behaviour("first-tangent-alone", "In forward mode only the first operand moves.",
        ("capability/forward",), jvp=first_tangent_alone),
    behaviour("pulled-instead-of-pushed", "Forward mode gives the gradient.",
        ("capability/forward",), jvp=pulled_instead_of_pushed),
    behaviour("compiled-without-history", "A compiled function has no gradient.",
        ("capability/compiling",), base=Running, compiled=loses_its_history),
    behaviour("checkpoint-without-history", "What is to be computed anew has no gradient.",
        ("capability/checkpointing",), checkpoint=loses_its_history),
    behaviour("checkpoint-moved", "What is computed anew is computed at other operands.",
        ("capability/checkpointing",), checkpoint=computed_anew_elsewhere),
    behaviour("write-of-a-constant", "What is written in place gets no gradient.",
        ("capability/recorded-writes",), assign=written_as_constant),
    behaviour("structure-flattened", "The gradient of a structure is a list.",
        ("capability/structures",), structured_gradient=flat_structure),
    behaviour("structure-swapped", "Two gradients in a structure are in each other's places.",
        ("capability/structures",), structured_gradient=swapped_structure),
    behaviour("imaginary-part-lost", "The gradient of a complex operand is real.",
        ("capability/complex",), base=RealLoss, grad=real_part_alone),
)  # fmt: skip
