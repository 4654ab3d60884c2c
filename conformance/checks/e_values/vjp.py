"""Chapter E: a gradient equals the reference VJP, as a value equals the reference value."""

from __future__ import annotations

import numpy as np

from conformance.backend import as_tuple
from conformance.checks.comparison import Comparison, hold_within
from conformance.checks.observation import Observation, hold_gradients
from conformance.checks.registry import op_check
from conformance.errors import Violation
from conformance.oracle.allowance import expected_values


@op_check("E1", "vjp", is_diagnosed=True)
def gradient_equals_reference_vjp(seen: Observation) -> list[Comparison]:
    """The VJP equals the rule within the allowed error."""
    return hold_gradients(seen)


@op_check("E22", "value")
def value_equals_reference(seen: Observation) -> list[Comparison]:
    """The value equals the reference within the allowed error."""
    references = as_tuple(seen.op.reference(*seen.case.operands, **seen.case.parameters))
    allowed = expected_values(seen.op, seen.case, perturbations=seen.perturbations)
    compared = []
    values = seen.forward()
    if len(values) != len(references):
        raise Violation(f"{len(values)} values, where the reference has {len(references)}")
    for got, expected, reference in zip(values, allowed, references, strict=True):
        compared.append(hold_within(got, expected, "the value", claim="differs from the reference value"))
        if got.dtype != np.asarray(reference).dtype:
            raise Violation(
                f"the value has dtype {got.dtype}, the reference value {np.asarray(reference).dtype}"
            )
    return compared
