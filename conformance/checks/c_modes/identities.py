"""Ops that change nothing: with a custom rule that returns its operand (C5), with a hook on the result (C9)."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from conformance.backend import Backend, Capability
from conformance.checks.comparison import hold_equal
from conformance.checks.engine_calls import gradients_of, unless_refused
from conformance.checks.observation import plain
from conformance.checks.registry import NotThisCase, contract
from conformance.checks.sample import Sample
from conformance.errors import Violation
from conformance.ops.names import ADD, MULTIPLY, NEGATIVE, RESHAPE

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


@contract("C9", "of-an-identity", Capability.HOOKS)
def hook_on_a_result_that_equals_its_operand_is_not_the_operands(engine: Backend, sample: Sample) -> None:
    """A hook on x + 0, x · 1 or x in its own shape sees the cotangent of that result alone, and replaces it alone."""
    add, multiply = engine.op(ADD), engine.op(MULTIPLY)
    zero, one = (engine.array(np.full((2, 3), value, sample.dtype)) for value in (0, 1))
    unchanged: dict[str, Callable[[Any], Any]] = {
        "x + 0": lambda a: add(a, zero),
        "0 + x": lambda a: add(zero, a),
        "x * 1": lambda a: multiply(a, one),
    }
    if RESHAPE in engine.ops:
        unchanged["x in its own shape"] = engine.call(RESHAPE, {"shape": (2, 3)})
    for what, op in unchanged.items():
        for of, around in {"a leaf": lambda a: a, "a result": engine.op(NEGATIVE)}.items():
            x, g = sample.array((2, 3)), sample.array((2, 3))
            seen: list[Any] = []

            def tripled(cotangent: Any, seen: list[Any] = seen) -> Any:
                seen.append(cotangent)
                return add(add(cotangent, cotangent), cotangent)

            def function(a: Any, op: Any = op, around: Any = around, seen: Any = tripled) -> Any:
                operand = around(a)
                result = op(operand)
                engine.hook(result, seen)
                return add(result, operand)

            (got,) = gradients_of(engine, function, [x], g)
            sign = 1 if of == "a leaf" else -1
            said = (
                f"the gradient of y + x, where y is {what} of {of}, and a hook makes the cotangent of y 3 g"
            )
            hold_equal(got, sign * 4 * g, said)
            if len(seen) != 1:
                raise Violation(f"a hook on {what} of {of} was called {len(seen)} times")
            hold_equal(
                plain(engine, seen[0]), g, f"what a hook on {what} of {of} sees, beside another use of {of}"
            )
