"""Ops that return their operand, with a custom rule (C5)."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from conformance.backend import Backend, Capability
from conformance.checks.comparison import hold_equal
from conformance.checks.engine_calls import gradients_of, unless_refused
from conformance.checks.registry import NotThisCase, contract
from conformance.checks.sample import Sample
from conformance.ops.names import MULTIPLY, NEGATIVE

FORWARD: dict[str, Callable[[Any], Any]] = {"itself": lambda a: a, "a view of itself": lambda a: a.T.T}


@contract("C5", "identity", Capability.CUSTOM_RULE)
def rule_of_an_identity_is_applied_where_it_is_called(engine: Backend, sample: Sample) -> None:
    """An op that returns its operand, or a view of it, has its custom rule there and changes nothing elsewhere; or it is refused."""
    multiply, answered = engine.op(MULTIPLY), 0
    for returned, forward in FORWARD.items():
        tripled = engine.custom(forward, lambda g, a: (g + g + g,))
        for what, around in {"a leaf": lambda a: a, "a result": engine.op(NEGATIVE)}.items():
            x, g = sample.array((2, 3)), sample.array((2, 3))

            def function(a: Any, around: Any = around, tripled: Any = tripled) -> Any:
                operand = around(a)
                return multiply(tripled(operand), operand)

            got = unless_refused(partial(gradients_of, engine, function, [x], g))
            if got is None:
                continue
            answered += 1
            said = f"the gradient of f(x) x, where f returns of {what} {returned}, and its rule 3 g"
            hold_equal(got[0], 4 * g * x, said)
    if not answered:
        raise NotThisCase("the engine refuses an op that returns its operand")
