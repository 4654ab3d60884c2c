"""Mutants that take an array and a view of it for one operand."""

from __future__ import annotations

from typing import Any

import numpy as np

from conformance_backends import numpy_engine as engine
from conformance_backends.mutants.mutant import Mutant, SteppedTape, with_ops
from conformance_backends.numpy_engine.tensor import Tensor


def one_operand_of_one_memory(name: str) -> Any:
    """An op whose operands begin at one place in memory sends its cotangent to the first alone."""

    def call(a: Any, b: Any) -> Any:
        are_two = isinstance(a, Tensor) and isinstance(b, Tensor) and a is not b
        is_one = are_two and np.shares_memory(a.value, b.value)
        return SteppedTape.ops[name](a, engine.detach(b) if is_one else b)

    return lambda: with_ops({name: call}, SteppedTape)


MUTANTS: tuple[Mutant, ...] = (
    Mutant("one-operand-of-one-memory", "A matrix product of an array and a view of it sends its cotangent to the first alone.",
        ("contract/B1/beside-a-view",), one_operand_of_one_memory("matmul"), ("matmul",)),
    Mutant("one-factor-of-one-memory", "A product of an array and a view of it sends its cotangent to the first alone.",
        ("contract/B1/beside-a-view",), one_operand_of_one_memory("multiply"), ("multiply",)),
)  # fmt: skip
