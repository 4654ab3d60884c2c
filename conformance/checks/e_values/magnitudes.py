"""Chapter E: gradients at operands of every magnitude of a dtype."""

from __future__ import annotations

import numpy as np

from conformance.backend import as_tuple
from conformance.checks.comparison import Comparison
from conformance.checks.engine_calls import require_offered
from conformance.checks.observation import Observation, hold_gradients
from conformance.checks.registry import FULL, NotThisCase, op_check
from conformance.dtype import BFLOAT16, HALF, finfo
from conformance.op import Trait
from conformance.oracle.allowance import extended
from conformance.values import MAGNITUDES


@op_check(
    *("E14", "magnitudes"),
    textures=MAGNITUDES,
    dtypes=FULL | HALF,
    sparing_in=frozenset({BFLOAT16.name}),
    is_diagnosed=True,
)
def gradient_equals_reference_vjp_at_every_magnitude(seen: Observation) -> list[Comparison]:
    """At operands of every magnitude the gradient is the rule's, wherever the dtype can represent it."""
    if not any(expected.exact.size for expected in seen.expected):
        raise NotThisCase("the operands have no entries")
    if seen.case.dtype in HALF:
        require_offered(seen)
    largest = float(finfo(seen.case.dtype).max)
    values = as_tuple(seen.op.reference(*map(extended, seen.case.operands), **seen.case.parameters))
    if Trait.ELEMENTWISE not in seen.op.traits and any((np.abs(z) > largest).any() for z in values):
        raise NotThisCase(f"the value overflows {seen.case.dtype}")
    if not any(np.isfinite(expected.allowed).any() for expected in seen.expected):
        raise NotThisCase(
            f"the gradient, or an intermediate result of the textbook rule, overflows {seen.case.dtype}"
        )
    return hold_gradients(seen)
