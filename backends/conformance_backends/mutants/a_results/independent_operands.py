"""Mutants wrong for operands on which the output does not depend, or that are passed twice."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from conformance.backend import Backend, Trace
from conformance.ops import ALL_OPS
from conformance_backends import numpy_engine as engine
from conformance_backends.mutants.mutant import Mutant, SteppedTape, behaviour, rule, with_ops
from conformance_backends.numpy_engine.graph import is_recording
from conformance_backends.numpy_engine.tensor import Tensor, detach, edge_of


def first_operand_of_identity(name: str) -> Any:
    """An op that finds its operands by identity, so that it always finds the first."""
    right = SteppedTape.ops[name]

    def op(x: Any, y: Any) -> Any:
        return right(x, x.detach() if x is y else y)

    return op


class FillsIn(SteppedTape):
    """An engine that gives an operand without a gradient something in its place."""

    def filled(self, operand: Any) -> Any:
        """The replacement: zeros."""
        return np.zeros_like(operand)

    def trace(self, function: Any, operands: Sequence[Any], wrt: Sequence[int] | None = None) -> Trace:
        """A trace whose missing gradients are filled in."""
        traced = super().trace(function, operands, wrt)
        chosen = range(len(operands)) if wrt is None else wrt

        def pull(cotangents: Sequence[Any]) -> tuple[Any, ...]:
            pulled = zip(traced.pull(cotangents), chosen, strict=True)
            return tuple(self.filled(operands[i]) if g is None else g for g, i in pulled)

        return Trace(traced.arrays, traced.outputs, pull)

    def gradient(self, function: Any, operands: Sequence[Any]) -> tuple[Any, ...]:
        """The same without a gradient argument."""
        pulled = zip(super().gradient(function, operands), operands, strict=True)
        return tuple(self.filled(x) if g is None else g for g, x in pulled)


class GivesOnConstants(FillsIn):
    """An engine that accepts constant outputs."""

    def backward(self, output: Any, gradient: Any = None, *, retain: bool = False) -> None:
        """A constant output is accepted."""
        if edge_of(output) is not None:
            super().backward(output, gradient, retain=retain)


def transposed_zeros(self: Any, operand: Any) -> Any:
    """Zeros of a shape that is not the operand's."""
    return np.zeros((*operand.shape, 1))


def refuses_unused(self: Any, operand: Any) -> Any:
    """An error for every operand that is not used."""
    raise ValueError("an operand is not used in the graph")


def declaring_zeros(**changed: str) -> Any:
    """The conventions of an engine that fills in zeros."""
    return {**SteppedTape.conventions, "A13": "zeros", **changed}


def _place_by_identity(right: Any, i: int, g: Any, z: Any, *xs: Any, **parameters: Any) -> Any:
    """An operand's place is looked up by its array."""
    first = next(k for k, x in enumerate(xs) if x is xs[i])
    return right(first, g, z, *xs, **parameters)


def _strict_on_both_sides(right: Any, i: int, g: Any, z: Any, *xs: Any, **parameters: Any) -> Any:
    """Neither of two operands that are one array is larger than the other."""
    pulled = right(i, g, z, *xs, **parameters)
    return 0 * pulled if xs[0] is xs[1] else pulled


def _other_is_constant(right: Any, i: int, g: Any, z: Any, *xs: Any, **parameters: Any) -> Any:
    """In a recorded pass the second of two operands that are one array is a constant."""
    is_one = is_recording() and edge_of(xs[0]) is not None and edge_of(xs[0]) == edge_of(xs[1])
    return right(i, g, z, *((xs[0], detach(xs[1])) if is_one else xs), **parameters)


class Pushing(SteppedTape):
    """The reference engine, which knows whether it is in forward mode."""

    is_pushing = False

    def jvp(self, function: Any, operands: Any, tangents: Any) -> Any:
        """The tangents, during which ops know of it."""
        self.is_pushing = True
        try:
            return super().jvp(function, operands, tangents)
        finally:
            self.is_pushing = False


def first_tangent_alone() -> Backend:
    """In forward mode a rule takes the second of two operands that are one array for a constant."""
    backend = Pushing()

    def altered(name: str) -> Any:
        right = ALL_OPS[name]

        def alone(i: int, g: Any, z: Any, /, *xs: Any, **parameters: Any) -> Any:
            pulled = right.rule(i, g, z, *xs, **parameters)
            is_one = backend.is_pushing and edge_of(xs[0]) is not None and edge_of(xs[0]) == edge_of(xs[1])
            return 0 * pulled if is_one and i else pulled

        return lambda *xs, **parameters: engine.apply(replace(right, rule=alone), xs, parameters)

    backend.ops = {**backend.ops, **{name: altered(name) for name in PAIRS}}  # type: ignore[misc]
    return backend


PAIRS = ("dot", "inner")


def zero_for_unused(self: Any, function: Any, arrays: Any, cotangents: Any) -> Any:
    """A gradient as a value of an operand that is not used is the number 0."""
    found = SteppedTape.nested_vjp(self, function, arrays, cotangents)
    return tuple(Tensor(np.zeros(())) if p is None or not np.any(p.value) else p for p in found)


def always_recorded(made: Callable[..., Any]) -> Callable[..., Any]:
    """What a function of this kind computes of constants needs a gradient."""

    def method(self: Any, *functions: Any) -> Any:
        right = made(*functions)

        def call(*operands: Any) -> Any:
            if all(edge_of(x) is None for x in operands):
                return right(*(self.leaf(np.array(getattr(x, "value", x))) for x in operands))
            return right(*operands)

        return call

    return method


MUTANTS: tuple[Mutant, ...] = (
    behaviour("zero-for-unused", "The gradient, as a value, of an operand that is not used is a number.",
        ("contract/A13/unused-operand",), nested_vjp=zero_for_unused),
    behaviour("custom-always-recorded", "What a custom rule computes of constants needs a gradient.",
        ("contract/A14/constant-output",), custom=always_recorded(engine.custom)),
    behaviour("several-outputs-always-recorded", "What a rule with several outputs computes of constants needs a gradient.",
        ("contract/A14/constant-output",), custom_by_operand=always_recorded(engine.custom_by_operand)),
    behaviour("checkpoint-always-recorded", "What a checkpoint computes of constants needs a gradient.",
        ("contract/A14/constant-output",), checkpoint=always_recorded(engine.checkpoint)),
    Mutant("tangent-of-the-first-place", "In forward mode an array that is both operands has the tangent of the first.",
        ("op/one-array-forward",), first_tangent_alone, PAIRS),
    rule("other-is-constant", "The second derivative of a product of an array and itself is half of what it is.",
        ("op/one-array-second-order",), ("multiply", "outer"), _other_is_constant),
    rule("place-by-identity", "Where arrays are joined, one that is joined twice has the cotangent of its first place twice.",
        ("op/one-array",), ("concat", "stack"), _place_by_identity),
    rule("strict-on-both-sides", "A maximum of an array and itself has no gradient.",
        ("op/one-array",), ("maximum", "minimum"), _strict_on_both_sides),
    Mutant("square-by-identity", "The gradient of x @ x is that of its first operand alone.",
        ("contract/A20/named-twice",), lambda: with_ops({"matmul": first_operand_of_identity("matmul")}), ("matmul",)),
    behaviour("declares-none-fills-in", "The adapter declares None for an operand that is not used, and zeros are returned.",
        ("contract/A13/unused-operand",), base=FillsIn),
    behaviour("unused-gets-ones", "An operand that is not used gets ones.",
        ("contract/A13/unused-operand",), base=FillsIn, filled=lambda self, x: np.ones_like(x),
        conventions=declaring_zeros()),
    behaviour("unused-misshapen", "An operand that is not used gets zeros of another shape.",
        ("contract/A13/unused-operand",), base=FillsIn, filled=transposed_zeros, conventions=declaring_zeros()),
    behaviour("unused-refused", "An operand that is not used is refused, though the adapter declares None.",
        ("contract/A13/unused-operand",), base=FillsIn, filled=refuses_unused),
    behaviour("constant-accepted", "The gradient of a constant is returned, though the adapter declares refusal.",
        ("contract/A14/constant-output",), base=GivesOnConstants, conventions=declaring_zeros()),
    behaviour("constant-gets-ones", "The gradient of a constant is ones, though the adapter declares zeros.",
        ("contract/A14/constant-output",), base=GivesOnConstants, filled=lambda self, x: np.ones_like(x),
        conventions=declaring_zeros(A14="zeros")),
    behaviour("declares-zeros-refuses-constants", "The adapter declares zeros for a constant output, and it is refused.",
        ("contract/A14/constant-output",), base=FillsIn, conventions=declaring_zeros(A14="zeros")),
)  # fmt: skip
