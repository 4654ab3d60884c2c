"""What looks alike is apart: two calls of an op, alive at once (B19), and operands of equal values (B1)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from conformance.backend import Backend, Capability, Function
from conformance.case import Array
from conformance.checks.c_modes.ops_in_modes import batch_of, hold_of_batch
from conformance.checks.comparison import Comparison, hold_equal
from conformance.checks.engine_calls import full_sum
from conformance.checks.observation import Observation, Oracle, plain
from conformance.checks.registry import contract, op_check
from conformance.checks.sample import Sample
from conformance.ops.names import ADD, MULTIPLY


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


@contract("B1", "one-array")
def operands_made_of_one_array_are_apart(engine: Backend, sample: Sample) -> None:
    """Operands that are made of one NumPy array are as many operands: each has its own gradient."""
    add, multiply = engine.op(ADD), engine.op(MULTIPLY)
    for shape in ((), sample.shape):
        x, c, d, g = (sample.array(shape) for _ in range(4))
        first, second = engine.array(np.array(c)), engine.array(np.array(d))

        def weighed(a: Any, b: Any, first: Any = first, second: Any = second) -> Any:
            return add(multiply(a, first), multiply(b, second))

        for function, what, factors in ((weighed, "", (c, d)), (multiply, " in one call", (x, x))):
            _, gradients = engine.vjp(function, [x, x], [np.array(g)])
            for got, factor, name in zip(gradients, factors, ("first", "second"), strict=True):
                value = None if got is None else plain(engine, got)
                hold_equal(
                    value, g * factor, f"the gradient of the {name} of two operands of one array{what}"
                )


@contract("B1", "equal-values")
def operands_of_equal_values_are_apart(engine: Backend, sample: Sample) -> None:
    """Operands of equal values, in arrays of their own, are as many operands, by whichever call their gradients are asked."""
    add, multiply, total = engine.op(ADD), engine.op(MULTIPLY), full_sum(engine)
    for shape in ((), sample.shape):
        x, c, d = (sample.array(shape) for _ in range(3))
        g = sample.array(())
        first, second = (engine.array(np.array(a)) for a in (c, d))

        def loss(a: Any, b: Any, first: Any = first, second: Any = second) -> Any:
            return total(add(multiply(a, first), multiply(b, second)))

        for call, cotangent, gradients in _equal_operands(engine, loss, x, g):
            for got, factor, name in zip(gradients, (c, d), ("first", "second"), strict=True):
                what = f"the gradient of the {name} of two operands of equal values, {call}"
                hold_equal(None if got is None else plain(engine, got), cotangent * factor, what)
        if Capability.FORWARD in engine.capabilities:
            _, (pushed,) = engine.jvp(loss, [np.array(x), np.array(x)], [np.array(d), np.array(c)])
            hold_equal(
                plain(engine, pushed), 2 * np.sum(c * d), "the tangent of two operands of equal values"
            )


def _equal_operands(
    engine: Backend, loss: Function, x: Array, g: Array
) -> Iterator[tuple[str, Array | float, Any]]:
    """The calls that give both gradients of a scalar function of two operands: the cotangent of each, and what it gives at two of these values."""

    def arrays() -> list[Any]:
        return [engine.array(np.array(x)), engine.array(np.array(x))]

    yield "of a loss", 1.0, engine.gradient(loss, [np.array(x), np.array(x)])
    yield "by a cotangent", g, engine.vjp(loss, [np.array(x), np.array(x)], [np.array(g)])[1]
    if Capability.VALUE_WITH_GRADIENT in engine.capabilities:
        yield "with the value", 1.0, engine.value_and_gradient(loss, arrays(), (0, 1))[1]
    if Capability.HIGHER_ORDER in engine.capabilities:
        yield "as values", g, engine.nested_vjp(loss, arrays(), [engine.array(np.array(g))])
