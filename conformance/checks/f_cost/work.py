"""Chapter F: the number of calls that a gradient needs."""

from __future__ import annotations

from typing import Any

from conformance.backend import Backend, Capability
from conformance.checks.comparison import hold_equal
from conformance.checks.engine_calls import gradients_of
from conformance.checks.f_cost.workload import Measured, hold_gradient, operands, squares
from conformance.checks.registry import contract
from conformance.checks.sample import Sample
from conformance.errors import Violation
from conformance.ops.names import ADD


@contract("F3", "work", Capability.CUSTOM_RULE)
def every_rule_is_applied_once(engine: Backend, sample: Sample) -> Measured:
    """In a lattice of any depth, width and fan-out every rule is applied once; an engine that merges equal calls applies fewer."""
    add, calls = engine.op(ADD), []

    def doubled(g: Any, a: Any) -> tuple[Any, ...]:
        calls.append(1)
        return (g + g,)

    double = engine.custom(lambda a: a + a, doubled)
    x, g = sample.array(), sample.array()
    for depth, width, fan in ((2, 2, 2), (6, 2, 2), (2, 6, 2), (2, 2, 4)):

        def lattice(a: Any, depth: int = depth, width: int = width, fan: int = fan) -> Any:
            layer = [a] * width
            for _ in range(depth):
                nodes = [double(value) for value in layer]
                layer = [_sum_of(add, [nodes[(i + k) % width] for k in range(fan)]) for i in range(width)]
            return _sum_of(add, layer)

        calls.clear()
        (got,) = gradients_of(engine, lattice, [x], g)
        hold_equal(
            got, g * width * (2.0 * fan) ** depth, f"the gradient of a lattice {depth} deep and {width} wide"
        )
        if not depth <= len(calls) <= depth * width:  # the calls of one layer may be one and the same
            raise Violation(
                f"a lattice of {depth} times {width} rules, each used {fan} times, "
                f"called rules {len(calls)} times, expected {depth * width}"
            )
    return {"calls_per_rule": 1.0}


def _sum_of(add: Any, values: list[Any]) -> Any:
    total = values[0]
    for value in values[1:]:
        total = add(total, value)
    return total


@contract("F4", "calls")
def calls_of_the_function_are_reported(engine: Backend, sample: Sample) -> Measured:
    """How often a function is called for its first gradient, and for the next, is reported."""
    sum_of_squares, (x, w), calls = squares(engine), operands(sample), []

    def function(a: Any, b: Any) -> Any:
        calls.append(1)
        return sum_of_squares(a, b)

    counts = []
    for _ in range(2):
        calls.clear()
        hold_gradient(engine, engine.gradient(function, [x, w]), x, w)
        counts.append(float(len(calls)))
    if not counts[0]:
        raise Violation("the engine gave the gradient of a function without calling it")
    return {"calls_first": counts[0], "calls_next": counts[1]}
