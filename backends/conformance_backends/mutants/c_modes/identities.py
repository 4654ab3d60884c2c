"""Mutants that confuse an op with its operand, which it returns."""

from __future__ import annotations

from typing import Any

import numpy as np

from conformance_backends import numpy_engine as engine
from conformance_backends.mutants.mutant import Mutant, SteppedTape, behaviour, with_ops
from conformance_backends.numpy_engine.tensor import Tensor, edge_of


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


def without_zeros() -> Any:
    """The reference engine in which a sum with zeros is the other operand itself."""
    right = SteppedTape.ops["add"]

    def add(a: Any, b: Any) -> Any:
        for x, other in ((a, b), (b, a)):
            is_nothing = edge_of(other) is None and not np.any(engine.detach(other))
            if is_nothing and np.shape(x) == np.shape(other):
                return x
        return right(a, b)

    return with_ops({"add": add}, SteppedTape)


MUTANTS: tuple[Mutant, ...] = (
    behaviour("identity-rebinds-its-operand", "Where a custom op returns its operand, the operand itself becomes its output.",
        ("contract/C5/identity",), custom=operand_becomes_the_output),
    Mutant("sum-with-zeros-is-its-operand", "A sum with zeros is the other operand itself.",
        ("contract/C9/of-an-identity",), without_zeros, ("add",)),
)  # fmt: skip
