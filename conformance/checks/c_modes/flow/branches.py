"""The engine's own branch: the branch that is taken has the gradient (C11)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from conformance.backend import Backend, Capability, Function
from conformance.case import Array
from conformance.checks.c_modes.flow.recurrence import STEPS, hold_gradients
from conformance.checks.comparison import hold_equal
from conformance.checks.engine_calls import full_sum, is_above
from conformance.checks.observation import plain
from conformance.checks.registry import contract
from conformance.checks.sample import Sample
from conformance.ops.names import ADD, MULTIPLY, NEGATIVE, RECIPROCAL


def hold_taken(
    engine: Backend,
    function: Function,
    operands: Sequence[Array],
    flag: bool,
    value: Any,
    pulled: Any,
    what: str,
) -> None:
    """Claim value and gradients of a function of operands and a truth value, for g, the last of `pulled`."""
    *expected, g = pulled
    given = [*map(np.array, operands), np.array(flag)]
    outputs, gradients = engine.vjp(function, given, [np.array(g)], list(range(len(operands))))
    hold_equal(plain(engine, outputs[0]), value, f"the value of {what}")
    for index, (gradient, right) in enumerate(zip(gradients, expected, strict=True)):
        got = None if gradient is None else plain(engine, gradient)
        hold_equal(got, right, f"operand {index}'s gradient of {what}")


@contract("C11", "branch", Capability.BRANCHES)
def branch_has_the_gradients_of_the_one_taken(engine: Backend, sample: Sample) -> None:
    """A branch has the value and the gradients of the function that is called; what both capture has that of the one, and what the other captures has zeros."""
    multiply, add = engine.op(MULTIPLY), engine.op(ADD)

    def function(x: Any, w: Any, u: Any, v: Any, flag: Any) -> Any:
        then = lambda a: multiply(multiply(a, w), u)  # noqa: E731
        otherwise = lambda a: add(multiply(a, v), w)  # noqa: E731
        return engine.branch(flag, then, otherwise, [x])

    for flag in (True, False, True):
        x, w, u, v, g = (sample.array() for _ in range(5))
        zeros = np.zeros_like(x)
        value, pulled = (
            (x * w * u, (g * w * u, g * x * u, g * x * w, zeros))
            if flag
            else (x * v + w, (g * v, g, zeros, g * x))
        )
        what = f"x w u if {flag} else x v + w"
        hold_taken(engine, function, [x, w, u, v], flag, value, (*pulled, g), what)


@contract("C11", "branch-condition", Capability.BRANCHES)
def condition_may_be_computed_from_an_operand(engine: Backend, sample: Sample) -> None:
    """Where the condition is computed from an operand, the gradient is that of the function that is called, at every call."""
    multiply, add, total = engine.op(MULTIPLY), engine.op(ADD), full_sum(engine)

    def function(x: Any, w: Any) -> Any:
        is_positive = is_above(engine, total(x), 0)
        return engine.branch(is_positive, lambda a, b: multiply(a, b), lambda a, b: add(a, b), [x, w])

    x = np.abs(sample.array())
    for operand in (x, -x, x):
        w, g = sample.array(), sample.array()
        expected = (g * w, g * operand) if operand.sum() > 0 else (g, g)
        hold_gradients(engine, function, [operand, w], [g], expected, "x w if sum(x) > 0 else x + w")


@contract("C11", "branch-nan", Capability.BRANCHES)
def branch_not_taken_contributes_no_nan(engine: Backend, sample: Sample) -> None:
    """What is infinite or NaN in the function that is not called reaches neither the value nor the gradients."""
    multiply, reciprocal = engine.op(MULTIPLY), engine.op(RECIPROCAL)

    def function(x: Any, w: Any, flag: Any) -> Any:
        safe, singular = lambda a: multiply(a, w), lambda a: multiply(reciprocal(a), w)
        return engine.branch(flag, singular, safe, [x])

    x, w, g = sample.array(), sample.array(), sample.array()
    x.flat[0] = 0
    hold_taken(engine, function, [x, w], False, x * w, (g * w, g * x, g), "w / x if False else x w, x = 0")
    ones = np.sign(w)
    hold_taken(
        engine, function, [ones, w], True, w * ones, (-g * w, g * ones, g), "w / x if True else x w, x = ±1"
    )


@contract("C11", "branch-outputs", Capability.BRANCHES)
def branch_may_return_several_arrays(engine: Backend, sample: Sample) -> None:
    """Each of several results of a branch sends its cotangent back through the function that is called."""
    multiply, negative = engine.op(MULTIPLY), engine.op(NEGATIVE)

    def function(x: Any, w: Any, flag: Any) -> Any:
        then = lambda a, b: (multiply(a, b), negative(b))  # noqa: E731
        otherwise = lambda a, b: (negative(a), multiply(a, a))  # noqa: E731
        return tuple(engine.branch(flag, then, otherwise, [x, w]))

    for flag in (True, False):
        x, w, g, h = (sample.array() for _ in range(4))
        given, seeds = [np.array(x), np.array(w), np.array(flag)], [np.array(g), np.array(h)]
        _, gradients = engine.vjp(function, given, seeds, [0, 1])
        expected = (g * w, g * x - h) if flag else (2 * h * x - g, np.zeros_like(w))
        for gradient, right, name in zip(gradients, expected, "xw", strict=True):
            got = None if gradient is None else plain(engine, gradient)
            hold_equal(got, right, f"{name}'s gradient of (x w, -w) if {flag} else (-x, x²)")


@contract("C11", "branch-through", Capability.BRANCHES)
def branch_may_return_an_operand_unchanged(engine: Backend, sample: Sample) -> None:
    """A branch that returns one of its operands unchanged has that value, and the cotangent is that operand's alone, whatever the other returns."""
    multiply = engine.op(MULTIPLY)
    ways: tuple[tuple[str, Function, Function], ...] = (
        ("x if {} else x w", lambda a, b: a, multiply),
        ("x w if {} else w", multiply, lambda a, b: b),
        ("x if {} else w", lambda a, b: a, lambda a, b: b),
    )
    for what, then, otherwise in ways:
        for flag in (True, False):
            x, w, g = (sample.array() for _ in range(3))
            text = what.format(flag)
            taken = text.split(" if ")[0] if flag else text.split(" else ")[1]
            zeros = np.zeros_like(x)
            value, pulled = {"x": (x, (g, zeros)), "w": (w, (zeros, g)), "x w": (x * w, (g * w, g * x))}[
                taken
            ]

            def function(a: Any, b: Any, flag: Any, then: Any = then, otherwise: Any = otherwise) -> Any:
                return engine.branch(flag, then, otherwise, [a, b])

            hold_taken(engine, function, [x, w], flag, value, (*pulled, g), text)


@contract("C11", "branch-rule", Capability.BRANCHES, Capability.CUSTOM_RULE)
def custom_rule_in_a_branch_is_used_where_it_is_taken(engine: Backend, sample: Sample) -> None:
    """A custom rule in a branch is used where that is taken, and nowhere else."""
    rule = engine.custom(lambda a: a + a, lambda g, a: (g + g + g,))
    negative = engine.op(NEGATIVE)

    def function(x: Any, flag: Any) -> Any:
        return engine.branch(flag, lambda a: rule(a), lambda a: negative(a), [x])

    for flag in (True, False):
        x, g = sample.array(), sample.array()
        value, pulled = (2 * x, 3 * g) if flag else (-x, -g)
        hold_taken(engine, function, [x], flag, value, (pulled, g), f"a rule that triples if {flag} else -x")


@contract("C11", "branch-in-a-loop", Capability.BRANCHES, Capability.LOOPS)
def branch_in_a_loop_is_taken_by_every_step_anew(engine: Backend, sample: Sample) -> None:
    """In a loop each step takes its own branch, and what both capture has the sum over the steps."""
    multiply, add, total = engine.op(MULTIPLY), engine.op(ADD), full_sum(engine)

    def function(h: Any, xs: Any, w: Any) -> Any:
        def step(s: Any, x: Any) -> tuple[Any, Any]:
            then, otherwise = lambda a: multiply(a, w), lambda a: add(a, w)
            return engine.branch(is_above(engine, total(x), 0), then, otherwise, [s]), s

        return engine.scan(step, h, xs)[0]

    h, w, g = (sample.array() for _ in range(3))
    signs = [1.0, -1.0, 1.0][:STEPS] if sample.seed % 2 else [-1.0, 1.0, 1.0][:STEPS]
    xs = np.abs(sample.array((STEPS, *sample.shape))) * np.reshape(signs, (STEPS, *(1,) * len(sample.shape)))
    states = [h]
    for sign in signs:
        states.append(states[-1] * w if sign > 0 else states[-1] + w)
    of_state, of_factor = g, np.zeros_like(w)
    for n in reversed(range(STEPS)):
        of_factor = of_factor + (of_state * states[n] if signs[n] > 0 else of_state)
        of_state = of_state * w if signs[n] > 0 else of_state
    expected = (of_state, np.zeros_like(xs), of_factor)
    what = "h w if sum(x) > 0 else h + w in a loop"
    hold_gradients(engine, function, [h, xs.astype(sample.dtype), w], [g], expected, what)
