"""Chapter E: gradients at complex operands."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from conformance.checks.comparison import Comparison
from conformance.checks.engine_calls import require_offered
from conformance.checks.observation import Observation, hold_gradients
from conformance.checks.registry import COMPLEX, declared_convention, op_check
from conformance.errors import Violation
from conformance.op import Op, Trait
from conformance.oracle.allowance import Expected, expected_gradients


def _is_holomorphic(op: Op) -> bool:
    return Trait.HOLOMORPHIC in op.traits


# A few signatures: shapes are checked with real operands, and engines compile each signature again.
@op_check("E23", "complex", applies=_is_holomorphic, dtypes=COMPLEX, sparing_in=COMPLEX)
def gradient_at_complex_operands_equals_reference_vjp(seen: Observation) -> list[Comparison]:
    """At complex operands the gradient of a holomorphic op is the rule's, or its conjugate as declared for A18."""
    convention = declared_convention(seen.backend, "A18")
    require_offered(seen)
    compared = hold_gradients(seen, _expected(seen, convention))
    for position, got in enumerate(seen.answer.gradients):
        if got is not None and got.dtype != seen.case.operands[seen.wrt[position]].dtype:
            raise Violation(f"{seen.label(position)} has dtype {got.dtype}, its operand {seen.case.dtype}")
    return compared


def _expected(seen: Observation, convention: str) -> list[Expected]:
    """The expected gradients under a convention.

    The rule is the transpose of a complex-linear map, g ↦ g · f′: this is what an engine that declares "conjugate"
    returns. The gradient itself is conj(f′) · g, the conjugate of the rule's result for conj g.
    """
    if convention == "conjugate":
        return seen.expected
    conjugated = replace(seen.case, cotangents=tuple(map(np.conj, seen.case.cotangents)))
    found = expected_gradients(seen.op, conjugated, perturbations=seen.perturbations)
    return [replace(expected, exact=np.conj(expected.exact)) for expected in found]
