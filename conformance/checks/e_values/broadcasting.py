"""Chapter E: gradients of broadcast operands."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from conformance.checks.comparison import hold_close_within_either
from conformance.checks.observation import Observation
from conformance.checks.registry import NotThisCase, op_check
from conformance.errors import Violation
from conformance.op import Op, Trait


def _has_several_arrays(op: Op) -> bool:
    return Trait.ELEMENTWISE in op.traits and len(op.domains) > 1


@op_check("E8", "broadcasting", applies=_has_several_arrays, once_per_signature=True, calls_anew=True)
def broadcast_gradient_is_the_sum(seen: Observation) -> None:
    """The gradient of a broadcast operand is the sum over the axes along which it was broadcast."""
    full = np.broadcast_shapes(*(x.shape for x in seen.case.operands))
    if all(x.shape == full for x in seen.case.operands):
        raise NotThisCase("no operand is broadcast")
    copies = [np.array(np.broadcast_to(x, full)) for x in seen.case.operands]
    copied = seen.vjp(operands=copies)
    for position, index in enumerate(seen.wrt):
        shape = seen.case.operands[index].shape
        if copied.gradients[position] is None:
            raise Violation(f"{seen.label(position)} was dropped for the copied operand")
        summed = _summed_to(copied.gradients[position], shape)
        own = seen.expected[position].allowed

        def derived(own: Any = own, position: int = position, shape: tuple[int, ...] = shape) -> Any:
            return own + _summed_to(seen.allowed_for(operands=copies)[position], shape)

        what = f"{seen.label(position)} is not the sum of the copies' gradients"
        hold_close_within_either(seen.answer.gradients[position], summed, 2 * own, derived, what)
    if not any(1 < seen.case.operands[i].size < math.prod(full) for i in seen.wrt):
        raise NotThisCase("a sum of all entries is the same in any order of them")


def _summed_to(gradient: Any, shape: tuple[int, ...]) -> Any:
    extra = gradient.ndim - len(shape)
    axes = tuple(a for a in range(gradient.ndim) if a < extra or shape[a - extra] == 1)
    total = gradient.astype(np.longdouble).sum(axis=axes)  # whose own rounding no engine is charged with
    return total.reshape(shape).astype(gradient.dtype)
