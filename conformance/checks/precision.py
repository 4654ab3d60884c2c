"""Chapter E below single precision."""

from __future__ import annotations

import numpy as np

from conformance.checks.observation import Observation, hold_within
from conformance.checks.registry import HALF, NotThisCase, op_check
from conformance.checks.results import refused
from conformance.errors import Violation


@op_check("E15", "half-precision", dtypes=HALF, is_witnessed=True)
def half_precision_gradient_is_as_accurate_as_the_textbook_rule(seen: Observation) -> tuple[float, float]:
    """In half precision the gradient is as accurate as the textbook rule computed in half precision."""
    hold_offered(seen)
    worst = (0.0, 0.0)
    undecided = 0
    for position, (got, expected) in enumerate(zip(seen.answer.gradients, seen.expected, strict=True)):
        worst = max(worst, hold_within(got, expected, seen.label(position)))
        undecided += bool(expected.allowed.size) and bool(np.isinf(expected.allowed).all())
        if got is not None and got.dtype != seen.case.operands[seen.wrt[position]].dtype:
            raise Violation(f"{seen.label(position)} has dtype {got.dtype}, its operand {seen.case.dtype}")
    if undecided == len(seen.expected):
        raise NotThisCase(f"the textbook rule overflows {seen.case.dtype} everywhere here")
    return worst


def hold_offered(seen: Observation) -> None:
    """NotThisCase where the engine refuses the op in this dtype, or says that it has no gradient of it."""
    try:
        seen.forward()
    except Exception as error:
        if refused(error):
            raise NotThisCase(f"the engine has no {seen.op.name} in {seen.case.dtype}") from None
        raise
    try:
        _ = seen.answer
    except Exception as error:  # one that names complex numbers refuses them, whatever its type
        if not (refused(error) and (isinstance(error, NotImplementedError) or "complex" in str(error))):
            raise
        raise NotThisCase(
            f"the engine has no gradient of {seen.op.name} in {seen.case.dtype}: {error}"
        ) from None
