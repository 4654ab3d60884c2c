"""Chapter D: neither pass changes an operand."""

from __future__ import annotations

from typing import Any

import numpy as np

from conformance.backend import Capability
from conformance.checks.comparison import hold_equal
from conformance.checks.observation import Observation, plain
from conformance.checks.registry import op_check


@op_check("D1", "forward-untouched", Capability.WRITABLE)
def forward_leaves_operands_untouched(seen: Observation) -> None:
    """The forward call changes neither values, dtypes nor shapes of its operands."""
    backend = seen.backend
    arrays = [backend.array(np.array(x)) for x in seen.case.operands]
    backend.call(seen.op.name, seen.case.parameters)(*arrays)
    _hold_untouched(seen, arrays, "the forward call")


@op_check("D2", "backward-untouched", Capability.WRITABLE)
def backward_leaves_operands_and_outputs_untouched(seen: Observation) -> None:
    """The backward pass changes neither operands nor outputs."""
    backend = seen.backend
    traced = seen.trace()
    before = [plain(backend, z) for z in traced.outputs]
    traced.pull([backend.array(np.array(g)) for g in seen.case.cotangents])
    _hold_untouched(seen, traced.arrays, "the backward pass")
    for output, value in zip(traced.outputs, before, strict=True):
        hold_equal(plain(backend, output), value, "the backward pass changed an output")


def _hold_untouched(seen: Observation, arrays: Any, what: str) -> None:
    for index, (array, operand) in enumerate(zip(arrays, seen.case.operands, strict=True)):
        after = plain(seen.backend, array)
        hold_equal(after.astype(operand.dtype), operand, f"{what} changed operand {index}")
