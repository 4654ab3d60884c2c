"""Writes into what a custom rule saved of its own outputs (D3)."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from conformance.backend import Backend, Capability, Function
from conformance.case import Array
from conformance.checks.c_modes.rules.rules_by_operand import ab_and_a2b
from conformance.checks.comparison import hold_equal
from conformance.checks.engine_calls import gradients_of, unless_refused
from conformance.checks.registry import contract
from conformance.checks.sample import Sample
from conformance.ops.names import ADD, NEGATIVE

SHAPE = (3, 2)


@contract("D3", "rule-output-written", Capability.RECORDED_WRITES, Capability.SEVERAL_OUTPUTS)
def write_into_an_output_that_a_rule_saved_never_alters_the_gradient(engine: Backend, sample: Sample) -> None:
    """An output that a custom rule uses is written in place, by a constant or by a recorded value: refused, or the gradient is of the output as it was."""
    add, negative = engine.op(ADD), engine.op(NEGATIVE)
    own_slope = engine.custom_by_operand(lambda a: a * a, lambda i, gs, xs, zs: gs[0] * zs[0])
    pair = ab_and_a2b(engine)
    alive: list[Any] = []  # what is written, still there in the backward pass, as where a caller keeps it
    for is_recorded in (False, True):
        x, w, v, g = (sample.array(shape) for shape in (SHAPE, SHAPE, SHAPE[1:], SHAPE))

        def of_square(a: Any, b: Any, c: Any) -> Any:
            square = own_slope(a)
            alive.append(square)
            used = add(negative(square), negative(b))
            engine.assign(square, (0,), c)
            return used

        def of_pair(a: Any, b: Any, c: Any, written: int = 0) -> Any:
            outputs = pair(a, b)
            alive.extend(outputs)
            used = add(negative(outputs[0]), negative(outputs[1]))
            engine.assign(outputs[written], (0,), c)
            return used

        of_product = (-g * (w + 2 * x * w), -g * (x + x * x))
        calls: dict[str, tuple[Function, tuple[Array, Array]]] = {
            "a², whose rule says a²": (of_square, (-g * x * x, -g)),
            "the first of (ab, a²b)": (of_pair, of_product),
            "the second of (ab, a²b)": (partial(of_pair, written=1), of_product),
        }
        how = "a recorded value" if is_recorded else "a constant"
        for what, (function, expected) in calls.items():
            got = unless_refused(partial(_pulled, engine, function, [x, w], v, g, is_recorded=is_recorded))
            for i, (ours, right) in enumerate(zip(got or (), expected, strict=got is not None)):
                said = f"operand {i}'s gradient through a custom rule, {what} then written by {how}"
                hold_equal(ours, right, said)


def _pulled(
    engine: Backend, function: Function, operands: list[Array], written: Array, g: Array, *, is_recorded: bool
) -> list[Any]:
    """The gradients by two operands of a function of them and what it writes, itself an operand where it is recorded."""
    if is_recorded:
        return gradients_of(engine, function, [*operands, written], g)[:2]
    constant = engine.array(np.array(written))
    return gradients_of(engine, lambda a, b: function(a, b, constant), operands, g)
