"""Operands that need no gradient (C4)."""

from __future__ import annotations

import numpy as np

from conformance.backend import Backend
from conformance.checks.comparison import hold_equal
from conformance.checks.engine_calls import gradients_of, hold_no_stored_gradient
from conformance.checks.observation import plain
from conformance.checks.registry import contract
from conformance.checks.sample import Sample
from conformance.errors import Violation
from conformance.ops.names import MULTIPLY


@contract("C4", "constants")
def operand_without_gradient_changes_no_other(engine: Backend, sample: Sample) -> None:
    """An operand that needs no gradient gets none, and the others' gradients are the same."""
    x, w, g = (sample.array() for _ in range(3))
    multiply, operands = engine.op(MULTIPLY), [x, w]
    both = gradients_of(engine, multiply, operands, g)
    for index in range(2):
        copies = [np.array(v) for v in operands]
        traced = engine.trace(multiply, copies, [index])
        alone = traced.pull([engine.array(np.array(g))])
        if len(alone) != 1 or alone[0] is None:
            raise Violation(f"operand {index} alone got {len(alone)} gradients")
        hold_equal(plain(engine, alone[0]), both[index], f"operand {index}'s gradient, the other constant")
        hold_no_stored_gradient(engine, traced.arrays[1 - index], f"operand {1 - index}")
