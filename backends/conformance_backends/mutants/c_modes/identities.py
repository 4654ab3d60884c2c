"""Mutants that confuse an op with its operand, which it returns."""

from __future__ import annotations

from typing import Any

from conformance_backends import numpy_engine as engine
from conformance_backends.mutants.mutant import Mutant, behaviour
from conformance_backends.numpy_engine.tensor import Tensor


def operand_becomes_the_output(self: Any, forward: Any, backward: Any) -> Any:
    """Where forward returns its operand, the operand itself becomes the output of the op."""
    right = engine.custom(forward, backward)

    def operation(*operands: Any) -> Any:
        output = right(*operands)
        for x in operands:
            if isinstance(x, Tensor) and output.value is x.value:
                x.edge = output.edge
                return x
        return output

    return operation


MUTANTS: tuple[Mutant, ...] = (
    behaviour("identity-rebinds-its-operand", "Where a custom op returns its operand, the operand itself becomes its output.",
        ("contract/C5/identity",), custom=operand_becomes_the_output),
)  # fmt: skip
