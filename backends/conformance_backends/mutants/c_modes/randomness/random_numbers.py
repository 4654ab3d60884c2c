"""Mutants that draw random numbers once too often, or not often enough."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from conformance.backend import Function, NDArray, as_tuple
from conformance_backends import numpy_engine as engine
from conformance_backends.mutants.capabilities import missing
from conformance_backends.mutants.mutant import Mutant, SteppedTape, WithTransforms, behaviour
from conformance_backends.numpy_engine import drawing
from conformance_backends.numpy_engine.tensor import Tensor

Gradients = tuple[tuple[Any, ...], tuple[Any, ...]]


def value_apart(
    self: Any,
    function: Function,
    operands: Sequence[NDArray],
    cotangents: Sequence[NDArray],
    wrt: Sequence[int] | None = None,
) -> Gradients:
    """The value is computed by a call of its own."""
    _, gradients = SteppedTape.vjp(self, function, operands, cotangents, wrt)
    return self.forward(function, operands), gradients


def same_numbers(self: Any, like: Any) -> Tensor:
    """The numbers are those of the first draw of their shape."""
    drawn = self.kept.setdefault(like.shape, engine.bernoulli(like).value)
    return Tensor(drawn.astype(like.dtype))


class RedrawnAfterwards(SteppedTape):
    """After a backward pass the random numbers in the graph are drawn again."""

    def noise(self, like: Any) -> Tensor:
        """The engine's zeros and ones, which are kept."""
        drawn: Tensor = super().noise(like)
        self.kept.setdefault("drawn", []).append(drawn.value)
        return drawn

    def backward(self, output: Tensor, gradient: Any = None, *, retain: bool = False) -> None:
        """The engine's, and then other numbers."""
        super().backward(output, gradient, retain=retain)
        for drawn in self.kept.get("drawn", []):
            drawn[...] = engine.bernoulli(drawn).value


def checkpoint_draws_anew(self: Any, function: Function) -> Function:
    """Computed again, a function draws other numbers."""

    def drawing_on(*operands: Any) -> Any:
        drawing.bernoulli(np.zeros(self.kept.setdefault("calls", 0)))
        self.kept["calls"] += 1
        return function(*operands)

    return engine.checkpoint(drawing_on)


def inner_checkpoint_draws_anew(self: Any, function: Function) -> Function:
    """Inside another checkpoint a function that is computed again draws other numbers."""

    def noting(*operands: Any) -> Any:
        self.kept["depth"] = self.kept.get("depth", 0) + 1
        try:
            return function(*operands)
        finally:
            self.kept["depth"] -= 1

    right, wrong = engine.checkpoint(noting), checkpoint_draws_anew(self, function)
    return lambda *operands: (wrong if self.kept.get("depth") else right)(*operands)


def checkpoint_draws_anew_later(self: Any, function: Function) -> Function:
    """Computed again more than once, a function draws other numbers."""

    def drawing_on(*operands: Any) -> Any:
        calls = self.kept["calls"] = self.kept.get("calls", 0) + 1
        drawing.bernoulli(np.zeros(max(0, calls - 2)))
        return function(*operands)

    return engine.checkpoint(drawing_on)


def rewinding(*, by_failing: bool) -> Any:
    """A checkpoint after which the generator stands where it stood after the function's first call: where it was computed again, or could not be."""

    def checkpoint(self: Any, function: Function) -> Function:
        ends: list[Any] = []

        def noting(*operands: Any) -> Any:
            output = function(*operands)
            ends.append(drawing.drawn_so_far())
            return output

        right = engine.checkpoint(noting)

        def operation(*operands: Any) -> Any:
            output = right(*operands)
            for node in {z.node for z in as_tuple(output) if z.node is not None}:
                node.pullback = _then_rewound(node.pullback, ends, by_failing)
            return output

        return operation

    return checkpoint


def _then_rewound(pullback: Any, ends: Sequence[Any], by_failing: bool) -> Any:
    """The pullback, after which the generator goes back if it fails, or if it does not."""

    def pulled(cotangents: Any) -> Any:
        has_failed = True
        try:
            found = pullback(cotangents)
            has_failed = False
            return found
        finally:
            if has_failed == by_failing:
                drawing._source.generator.bit_generator.state = ends[0 if by_failing else -1]

    return pulled


class CompiledTwice(WithTransforms):
    """A compiled function is called for its value, and again for its gradient."""

    def compiled(self, function: Function) -> Function:
        """A function whose value is of another call than its history."""
        return lambda *operands: _of_two_calls(function, operands)


def _of_two_calls(function: Function, operands: Sequence[Any]) -> Any:
    """The value of one call with the derivatives of another."""
    value, recorded = engine.detach(function(*operands)), function(*operands)
    return value + (recorded - engine.detach(recorded))


def tangent_apart(self: Any, function: Function, operands: Any, tangents: Any) -> Gradients:
    """The outputs are computed by a call of their own."""
    _, pushed = SteppedTape.jvp(self, function, operands, tangents)
    return self.forward(function, operands), pushed


def nested_apart(
    self: Any, function: Function, arrays: Sequence[Any], cotangents: Sequence[Any]
) -> tuple[Any, ...]:
    """The value of a gradient is of one call, its derivatives are of another."""
    value, recorded = (SteppedTape.nested_vjp(self, function, arrays, cotangents) for _ in range(2))
    return tuple(
        b if b is None else engine.detach(a) + (b - engine.detach(b))
        for a, b in zip(value, recorded, strict=True)
    )


MUTANTS: tuple[Mutant, ...] = (
    behaviour("random-numbers-only-declared", "Random numbers are declared, but none are drawn.",
        ("capability/random-numbers",), noise=missing("noise")),
    behaviour("value-of-other-numbers", "The value is of other random numbers than the gradient.",
        ("contract/C12/drawn-once", "contract/C12/layer"), vjp=value_apart),
    behaviour("same-numbers-again", "Random numbers are the same at every call.",
        ("contract/C12/drawn-anew",), noise=same_numbers),
    behaviour("pulled-with-other-numbers", "After a backward pass the random numbers in its graph are drawn again.",
        ("contract/C12/pulled-again",), base=RedrawnAfterwards),
    behaviour("checkpoint-draws-anew", "A checkpoint that computes again draws other numbers.",
        ("contract/C12/recomputed", "contract/C12/layer"), checkpoint=checkpoint_draws_anew),
    behaviour("inner-checkpoint-draws-anew", "A checkpoint inside another one that computes again draws other numbers.",
        ("contract/C12/recomputed",), checkpoint=inner_checkpoint_draws_anew),
    behaviour("checkpoint-draws-anew-later", "A checkpoint that computes again for the second time draws other numbers.",
        ("contract/C12/recomputed-again",), checkpoint=checkpoint_draws_anew_later),
    behaviour("checkpoint-rewinds", "After a backward pass through a checkpoint old random numbers come again.",
        ("contract/C12/not-rewound",), checkpoint=rewinding(by_failing=False)),
    behaviour("compiled-draws-twice", "A compiled function has the value of other random numbers than the gradient.",
        ("contract/C12/compiled",), base=CompiledTwice),
    behaviour("tangent-of-other-numbers", "A tangent is of other random numbers than the value.",
        ("contract/C12/pushed",), jvp=tangent_apart),
    behaviour("second-of-other-numbers", "A second derivative is of other random numbers than the gradient.",
        ("contract/C12/second",), nested_vjp=nested_apart),
)  # fmt: skip
