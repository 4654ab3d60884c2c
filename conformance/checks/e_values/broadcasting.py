"""Chapter E: gradients of broadcast operands."""

from __future__ import annotations

from typing import Any

import numpy as np

from conformance.checks.comparison import hold_close
from conformance.checks.observation import Observation
from conformance.checks.registry import NotThisCase, op_check
from conformance.errors import Violation
from conformance.op import Op, Trait


def _has_several_arrays(op: Op) -> bool:
    return Trait.ELEMENTWISE in op.traits and len(op.domains) > 1


@op_check("E8", "broadcasting", applies=_has_several_arrays, once_per_signature=True)
def broadcast_gradient_is_the_sum(seen: Observation) -> None:
    """The gradient of a broadcast operand is the sum over the axes along which it was broadcast."""
    full = np.broadcast_shapes(*(x.shape for x in seen.case.operands))
    if all(x.shape == full for x in seen.case.operands):
        raise NotThisCase("no operand is broadcast")
    copied = seen.vjp(operands=[np.array(np.broadcast_to(x, full)) for x in seen.case.operands])
    for position, index in enumerate(seen.wrt):
        shape = seen.case.operands[index].shape
        if copied.gradients[position] is None:
            raise Violation(f"{seen.label(position)} was dropped for the copied operand")
        summed = _summed_to(copied.gradients[position], shape)
        allowed = 2 * seen.expected[position].allowed
        what = f"{seen.label(position)} is not the sum of the copies' gradients"
        hold_close(seen.answer.gradients[position], summed, allowed, what)


def _summed_to(gradient: Any, shape: tuple[int, ...]) -> Any:
    extra = gradient.ndim - len(shape)
    axes = tuple(a for a in range(gradient.ndim) if a < extra or shape[a - extra] == 1)
    return gradient.sum(axis=axes).reshape(shape)
