"""Gradients that are computed while a backward pass is under way, by a hook or a rule (C5, C9).

Where nothing is recorded in a backward pass an engine may refuse them; the pass itself goes on all the same.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from conformance.backend import Backend, Capability, Function
from conformance.checks.comparison import hold_equal
from conformance.checks.engine_calls import gradients_of, unless_refused
from conformance.checks.registry import NotThisCase, contract
from conformance.checks.sample import Sample
from conformance.errors import Violation
from conformance.ops.names import ADD, MULTIPLY, NEGATIVE


@contract("C9", "gradient-inside", Capability.HOOKS)
def gradient_computed_in_a_hook_leaves_the_pass_as_it_was(engine: Backend, sample: Sample) -> None:
    """A gradient of other arrays that a hook computes is right or refused, and the gradients of the pass that called the hook are right."""

    def hooked(other: Callable[[], None]) -> Function:
        def through(a: Any) -> Any:
            engine.hook(a, lambda c: other())
            return a

        return through

    _hold_both(engine, sample, hooked, "a hook")


@contract("C5", "gradient-inside", Capability.CUSTOM_RULE)
def gradient_computed_in_a_rule_leaves_the_pass_as_it_was(engine: Backend, sample: Sample) -> None:
    """A gradient of other arrays that a custom rule computes is right or refused, and those of the pass that called the rule are right."""
    if engine.compiles_signatures or engine.compiles_functions:
        raise NotThisCase("a rule is traced, and computes nothing by itself")

    def ruled(other: Callable[[], None]) -> Function:
        def backward(g: Any, a: Any) -> Any:
            other()
            return (g + g,)

        double = engine.custom(lambda a: a + a, backward)
        return lambda a: engine.op(ADD)(double(a), engine.op(NEGATIVE)(a))

    _hold_both(engine, sample, ruled, "a custom rule")


@contract("C5", "gradient-in-forward", Capability.CUSTOM_RULE)
def gradient_computed_in_the_forward_of_a_rule_leaves_it_recorded(engine: Backend, sample: Sample) -> None:
    """An op with a custom rule that computes a gradient of other arrays on its way forward is recorded, and so is what follows it."""
    if engine.compiles_signatures or engine.compiles_functions:
        raise NotThisCase("a function is traced, and computes nothing by itself")

    def computing(other: Callable[[], None]) -> Function:
        def forward(a: Any) -> Any:
            other()
            return a + a

        double = engine.custom(forward, lambda g, a: (g + g,))
        return lambda a: engine.op(ADD)(double(a), engine.op(NEGATIVE)(a))

    _hold_both(engine, sample, computing, "the forward of a custom rule")


def _hold_both(
    engine: Backend, sample: Sample, made: Callable[[Callable[[], None]], Function], what: str
) -> None:
    """Claim the gradients of −u + u b, u = a b seen by what computes another gradient, and that one."""
    x, w, g, y, h = (sample.array() for _ in range(5))
    add, negative, multiply = engine.op(ADD), engine.op(NEGATIVE), engine.op(MULTIPLY)
    found: list[Any] = []

    def other() -> None:
        found.append(unless_refused(partial(gradients_of, engine, lambda a: multiply(a, a), [y], h)))

    through = made(other)

    def function(a: Any, b: Any) -> Any:
        product = through(multiply(a, b))
        return add(negative(product), multiply(product, b))

    of_x, of_w = gradients_of(engine, function, [np.array(x), np.array(w)], g)
    if not found:
        raise Violation(f"{what} was not called")
    for inner in filter(None, found):
        hold_equal(inner[0], 2 * h * y, f"the gradient of y² that {what} computes in a backward pass")
    slope = g * (w - 1)
    hold_equal(
        of_x, slope * w, f"x's gradient of x w (w - 1), in a pass in which {what} computes another gradient"
    )
    hold_equal(
        of_w,
        slope * x + g * x * w,
        f"w's gradient of x w (w - 1), in a pass in which {what} computes another gradient",
    )
