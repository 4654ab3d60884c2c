"""Mutants whose custom rules read their outputs as these are in the backward pass."""

from __future__ import annotations

from typing import Any

from conformance_backends import numpy_engine as engine
from conformance_backends.mutants.mutant import Mutant, behaviour
from conformance_backends.numpy_engine.tensor import Tensor


def outputs_read_in_the_backward_pass(self: Any, forward: Any, backward: Any) -> Any:
    """A rule that is not differentiated gets the values that its outputs have by then."""

    def operation(*operands: Any) -> Any:
        made: list[Tensor] = []

        def late(index: int, gs: Any, xs: Any, zs: Any) -> Any:
            now = (z if isinstance(z, Tensor) else output.value for z, output in zip(zs, made, strict=True))
            return backward(index, gs, xs, tuple(now))

        outputs = engine.custom_by_operand(forward, late)(*operands)
        made.extend(outputs if isinstance(outputs, tuple) else (outputs,))
        return outputs

    return operation


MUTANTS: tuple[Mutant, ...] = (
    behaviour("rule-reads-outputs-late", "A custom rule gets its outputs as they are in the backward pass.",
        ("contract/D3/rule-output-written",), custom_by_operand=outputs_read_in_the_backward_pass),
)  # fmt: skip
