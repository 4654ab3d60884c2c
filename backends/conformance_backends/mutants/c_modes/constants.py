"""Mutants that are wrong where some operands require no gradient."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from conformance.backend import Trace
from conformance_backends import numpy_engine as engine
from conformance_backends.mutants.mutant import Mutant, SteppedTape, behaviour, with_ops
from conformance_backends.numpy_engine.tensor import Tensor


def constants_are_leaves(self: Any, function: Any, operands: Sequence[Any], wrt: Any = None) -> Trace:
    """Every operand requires a gradient; only the requested gradients are returned."""
    traced = SteppedTape.trace(self, function, operands)
    chosen = range(len(operands)) if wrt is None else wrt
    return Trace(traced.arrays, traced.outputs, lambda gs: tuple(traced.pull(gs)[i] for i in chosen))


def gradients_shifted(self: Any, function: Any, operands: Sequence[Any], wrt: Any = None) -> Trace:
    """The gradients are assigned from the first operand on, without skipping constants."""
    traced = SteppedTape.trace(self, function, operands)
    count = len(operands) if wrt is None else len(wrt)
    return Trace(
        SteppedTape.trace(self, function, operands, wrt).arrays,
        traced.outputs,
        lambda gs: traced.pull(gs)[:count],
    )


def frozen_factor_is_one(self: Any, function: Any, operands: Sequence[Any], wrt: Any = None) -> Trace:
    """Where an operand requires no gradient, only the signs of the other gradients are returned."""
    traced = SteppedTape.trace(self, function, operands, wrt)
    if wrt is None or len(wrt) == len(operands):
        return traced
    return Trace(traced.arrays, traced.outputs, lambda gs: tuple(np.sign(g) for g in traced.pull(gs)))


def numerator_is_no_tensor() -> Any:
    """A quotient whose numerator is no tensor has the gradient of the product of both."""
    right = SteppedTape.ops["divide"]

    def divide(a: Any, b: Any) -> Any:
        if isinstance(a, Tensor) or not isinstance(b, Tensor):
            return right(a, b)
        return right(a, engine.detach(b)) + (a * b - engine.detach(a * b))

    return with_ops({"divide": divide}, SteppedTape)


def denominator_is_a_number() -> Any:
    """A quotient by a Python number has no gradient."""
    right = SteppedTape.ops["divide"]

    def divide(a: Any, b: Any) -> Any:
        return right(engine.detach(a) if isinstance(b, float) else a, b)

    return with_ops({"divide": divide}, SteppedTape)


def alone_is_zero(name: str, index: int) -> Callable[[], Any]:
    """An op whose operand has no gradient where the others are constants."""

    def call(*operands: Any, **parameters: Any) -> Any:
        others = [
            x for i, x in enumerate(operands) if i != index and isinstance(x, Tensor) and x.requires_grad
        ]
        given = list(operands) if others else [engine.detach(x) for x in operands]
        return SteppedTape.ops[name](*given, **parameters)

    return lambda: with_ops({name: call}, SteppedTape)


MUTANTS: tuple[Mutant, ...] = (
    behaviour("constants-get-gradients", "An operand that requires no gradient gets one.",
        ("contract/C4/constants", "contract/C5/custom-constant"), trace=constants_are_leaves),
    behaviour("gradients-shifted", "An operand after a constant receives the constant's gradient.",
        ("contract/C4/constants",), trace=gradients_shifted),
    behaviour("frozen-changes-others", "Freezing one operand of a product changes the other's gradient.",
        ("contract/C4/constants",), trace=frozen_factor_is_one),
    Mutant("numerator-is-a-constant", "A quotient whose numerator is no tensor has another gradient.",
        ("contract/C4/every-op",), numerator_is_no_tensor, ("divide",)),
    Mutant("denominator-is-a-number", "A quotient by a Python number has no gradient.",
        ("contract/C4/every-op",), denominator_is_a_number, ("divide",)),
    Mutant("bias-alone", "The bias of a layer has no gradient where input and weight are constants.",
        ("contract/C4/every-op",), alone_is_zero("linear", 2), ("linear",)),
    behaviour("declares-stored-gradients", "The adapter declares that all gradients are stored, and constants get none.",
        ("contract/C4/constants",), conventions={**SteppedTape.conventions, "C4": "stored"}),
)  # fmt: skip
