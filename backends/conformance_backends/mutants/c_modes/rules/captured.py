"""Mutants that take what a custom rule captures for an operand."""

from __future__ import annotations

from typing import Any

from conformance_backends import numpy_engine as engine
from conformance_backends.mutants.mutant import Mutant, behaviour
from conformance_backends.numpy_engine.graph import is_recording
from conformance_backends.numpy_engine.tensor import Tensor


def captured_gets_the_cotangent(self: Any, forward: Any, backward: Any) -> Any:
    """What the forward function of a custom rule captures is recorded as if it were added."""

    def operation(*operands: Any) -> Any:
        result = forward(*map(engine.detach, operands))
        output = engine.custom(lambda *xs: engine.detach(forward(*xs)), backward)(*operands)
        is_captured = isinstance(result, Tensor) and result.requires_grad and is_recording()
        return output + (result - engine.detach(result)) * 3.0 if is_captured else output

    return operation


MUTANTS: tuple[Mutant, ...] = (
    behaviour("custom-rule-captures", "What a custom rule captures receives three times the cotangent.",
        ("contract/C5/captured",), custom=captured_gets_the_cotangent),
)  # fmt: skip
