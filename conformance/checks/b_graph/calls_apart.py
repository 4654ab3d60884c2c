"""Two calls of any op, alive at once (B19): what one of them saved, and the gradients that it gave, are its own."""

from __future__ import annotations

import numpy as np

from conformance.checks.c_modes.ops_in_modes import batch_of, hold_of_batch
from conformance.checks.comparison import Comparison
from conformance.checks.observation import Observation, Oracle, plain
from conformance.checks.registry import op_check


@op_check("B19", "calls-apart", once_per_signature=True, compiles=True)
def first_of_two_calls_has_its_gradients(seen: Observation) -> list[Comparison]:
    """Of two calls of an op with the same shapes each has its own gradients, the first pulled back first, which keeps them afterwards.

    They are read at the end: an engine may keep the operands of the latest call, or write gradients where the last ones are.
    """
    cases, engine = batch_of(seen, 2), seen.backend
    function = engine.call(seen.op.name, seen.case.parameters)
    traces = [engine.trace(function, list(map(np.array, case.operands)), seen.wrt) for case in cases]
    pulled = [
        trace.pull([engine.array(np.array(g)) for g in case.cotangents])
        for trace, case in zip(traces, cases, strict=True)
    ]
    names = ("the first of two calls, pulled back first", "the second of two calls")
    compared = [
        (None if g is None else plain(engine, g), expected, f"{seen.label(position)} of {name}")
        for case, gradients, name in zip(cases, pulled, names, strict=True)
        for position, (g, expected) in enumerate(
            zip(gradients, Oracle(seen.op, case, seen.perturbations).expected, strict=True)
        )
    ]
    return hold_of_batch(seen, cases, compared)
