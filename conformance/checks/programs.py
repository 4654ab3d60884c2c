"""Chapter E on graphs: the gradient of a composition."""

from __future__ import annotations

import numpy as np

from conformance.backend import Backend
from conformance.checks.observation import hold_within, plain
from conformance.checks.registry import Kind, check
from conformance.ops import find
from conformance.oracle.sweep import expected_program_gradients
from conformance.program import Program


@check(Kind.PROGRAM, "E6", "composition")
def gradient_of_a_program_is_the_reverse_sweeps(engine: Backend, program: Program) -> tuple[float, float]:
    """The gradient of a composition is the composition of the VJPs."""
    _, gradients = engine.vjp(
        lambda *leaves: program.run(engine.call, leaves)[-1],
        [np.array(x) for x in program.leaves],
        [np.array(program.cotangent)],
    )
    worst = (0.0, 0.0)
    for leaf, (gradient, expected) in enumerate(
        zip(gradients, expected_program_gradients(program, find), strict=True)
    ):
        got = None if gradient is None else plain(engine, gradient)
        worst = max(worst, hold_within(got, expected, f"the gradient of leaf v{leaf}"))
    return worst
