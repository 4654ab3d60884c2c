"""Chapter E over complex operands."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from conformance.checks.engine_calls import require_offered
from conformance.checks.observation import Observation, hold_within
from conformance.checks.registry import COMPLEX, declared_convention, op_check
from conformance.errors import Violation
from conformance.op import Op, Trait
from conformance.oracle.allowance import Expected, expected_gradients


def _is_holomorphic(op: Op) -> bool:
    return Trait.HOLOMORPHIC in op.traits


# Of a few signatures: shapes are the real ops' matter, and engines compile each anew.
@op_check("E23", "complex", applies=_is_holomorphic, dtypes=COMPLEX, sparing_in=COMPLEX)
def gradient_at_complex_operands_is_the_rules(seen: Observation) -> tuple[float, float]:
    """At complex operands the gradient of a holomorphic op is the rule's, conjugated as elected in A18."""
    convention = declared_convention(seen.backend, "A18")
    require_offered(seen)
    worst = (0.0, 0.0)
    for position, (got, expected) in enumerate(
        zip(seen.answer.gradients, _expected(seen, convention), strict=True)
    ):
        worst = max(worst, hold_within(got, expected, seen.label(position)))
        if got is not None and got.dtype != seen.case.operands[seen.wrt[position]].dtype:
            raise Violation(f"{seen.label(position)} has dtype {got.dtype}, its operand {seen.case.dtype}")
    return worst


def _expected(seen: Observation, convention: str) -> list[Expected]:
    """What the gradients must be under a convention.

    The rule is the transpose of a complex-linear map, g ↦ g · f′: the cotangent of an engine that elects the
    conjugate of the gradient. The gradient itself is conj(f′) · g, the conjugate of what the rule makes of conj g.
    """
    if convention == "conjugate":
        return seen.expected
    turned = replace(seen.case, cotangents=tuple(map(np.conj, seen.case.cotangents)))
    found = expected_gradients(seen.op, turned, perturbations=seen.perturbations)
    return [replace(expected, exact=np.conj(expected.exact)) for expected in found]
