"""Anomaly scopes, which name the op that made the first NaN (C8)."""

from __future__ import annotations

import contextlib
from collections.abc import Sequence
from typing import Any

import numpy as np

from conformance.backend import Backend, Capability, Function
from conformance.case import Array
from conformance.checks.b_graph.history_runner import failure_of, in_other_thread
from conformance.checks.comparison import hold_equal
from conformance.checks.engine_calls import IntentionalError, gradients_of, is_refusal
from conformance.checks.observation import plain
from conformance.checks.registry import contract
from conformance.checks.sample import Sample
from conformance.errors import Unsupported, Violation, error_text
from conformance.ops.names import LOG, MULTIPLY, NEGATIVE, SQRT, TANH

SHORT_NAME = MULTIPLY[:3]  # engines abbreviate it, as in "MulBackward0"


@contract("C8", "named", Capability.ANOMALY, is_about_outcome=True)
def op_that_made_the_first_nan_is_named(engine: Backend, sample: Sample) -> None:
    """The error names the op whose rule made the first NaN, and no op before or after it, in any thread."""
    for culprit in (SQRT, LOG):
        message = _message(engine, _nan_in(engine, culprit), [np.array([1, 0, 4], sample.dtype)])
        if message is None:
            raise Violation(f"the rule of {culprit} made a NaN, and no error was raised")
        if culprit not in message.lower() or TANH in message.lower():
            raise Violation(f"the rule of {culprit} made a NaN, and the error says: {message}")
    operand = np.array([1, 0, 4], sample.dtype)
    if in_other_thread(lambda: _message(engine, _nan_in(engine, SQRT), [operand])) is None:
        raise Violation(f"the rule of {SQRT} made a NaN in another thread, and no error was raised")


def _nan_in(engine: Backend, culprit: str) -> Function:
    """0 * tanh(culprit(x * x)): at 0 the culprit's derivative is infinite, and its cotangent is 0."""
    multiply, tanh, made = engine.op(MULTIPLY), engine.op(TANH), engine.op(culprit)

    def function(a: Any) -> Any:
        return multiply(tanh(made(multiply(a, a))), engine.array(np.zeros(3, plain(engine, a).dtype)))

    return function


def _message(
    engine: Backend, function: Function, operands: Sequence[Array], cotangent: Array | None = None
) -> str | None:
    """The engine's error in a gradient call within the anomaly scope; None where it raises nothing."""
    try:
        with engine.anomaly():
            gradients_of(
                engine, function, operands, np.ones_like(operands[0]) if cotangent is None else cotangent
            )
    except Exception as error:
        if not is_refusal(error):
            raise
        return error_text(error)
    return None


@contract("C8", "recorded", Capability.ANOMALY, is_about_outcome=True)
def op_within_other_passes_is_named(engine: Backend, sample: Sample) -> None:
    """In a backward pass that is recorded, and in what a checkpoint recomputes, the error names the op, too."""
    culprit = _nan_in(engine, SQRT)
    ways: dict[str, Function] = {}
    if Capability.HIGHER_ORDER in engine.capabilities:
        ones = engine.array(np.ones(3, sample.dtype))
        ways["a backward pass that is recorded"] = lambda a: engine.nested_vjp(culprit, [a], [ones])[0]
    if Capability.CHECKPOINTING in engine.capabilities:
        ways["what a checkpoint recomputes"] = engine.checkpoint(culprit)
    if not ways:
        raise Unsupported(f"{engine.engine} neither records a backward pass nor recomputes")
    for where, function in ways.items():
        message = _message(engine, function, [np.array([1, 0, 4], sample.dtype)])
        if message is None:
            raise Violation(f"the rule of {SQRT} made a NaN in {where}, and no error was raised")
        if SQRT not in message.lower() or TANH in message.lower():
            raise Violation(f"the rule of {SQRT} made a NaN in {where}, and the error says: {message}")


@contract("C8", "custom-rule", Capability.ANOMALY, Capability.CUSTOM_RULE, is_about_outcome=True)
def nan_of_a_custom_rule_is_an_error(engine: Backend, sample: Sample) -> None:
    """A NaN that a custom rule makes is an error in the scope, alone and before other ops."""
    rule = engine.custom(lambda a: a + a, lambda g, a: (g * float("nan"),))
    multiply = engine.op(MULTIPLY)
    for what, function in (("alone", rule), ("before a product", lambda a: multiply(rule(a), a))):
        if _message(engine, function, [sample.array()]) is None:
            raise Violation(f"a custom rule made a NaN, {what}, and no error was raised")


@contract("C8", "quiet", Capability.ANOMALY)
def nothing_is_raised_where_nothing_is_wrong(engine: Backend, sample: Sample) -> None:
    """The scope changes nothing where no NaN is made, though an infinity is, and after it, also one left by an error, a NaN raises nothing."""
    x, g = sample.array(), sample.array()
    multiply = engine.op(MULTIPLY)
    with engine.anomaly():
        (got,) = gradients_of(engine, lambda a: multiply(a, a), [x], g)
    hold_equal(got, 2 * g * x, "the gradient of x * x in the anomaly scope")
    at_zero = np.zeros(3, sample.dtype)
    signs = engine.array(
        np.array([1, -1, 1], sample.dtype)
    )  # the sum of infinities of both signs would be NaN
    if (message := _message(engine, lambda a: multiply(engine.op(SQRT)(a), signs), [at_zero])) is not None:
        raise Violation(f"the rule of {SQRT} made infinities, no NaN, and an error was raised: {message}")
    operand = np.array([1, 0, 4], sample.dtype)
    _message(engine, _nan_in(engine, SQRT), [operand])
    (after,) = gradients_of(engine, _nan_in(engine, SQRT), [operand], np.ones_like(operand))
    if after is None:
        raise Violation("the gradient of 0 * tanh(sqrt(x * x)) is None, after the scope")
    hold_equal(
        np.isnan(after), operand == 0, "where the gradient of 0 * tanh(sqrt(x * x)) is NaN, after the scope"
    )


@contract("C8", "nested", Capability.ANOMALY, is_about_outcome=True)
def scope_outlasts_an_inner_one(engine: Backend, sample: Sample) -> None:
    """An inner anomaly scope that has ended, normally or by an error, does not end the outer one."""
    operand = np.array([1, 0, 4], sample.dtype)
    for ending in ("normally", "by an error"):
        with engine.anomaly():
            with contextlib.suppress(IntentionalError), engine.anomaly():
                if ending == "by an error":
                    raise IntentionalError
            error = failure_of(
                lambda: gradients_of(engine, _nan_in(engine, SQRT), [operand], np.ones_like(operand))
            )
        if error is None:
            raise Violation(f"a NaN raised nothing in a scope after an inner one had ended {ending}")


@contract("C8", "operands", Capability.ANOMALY, is_about_outcome=True)
def op_whose_rule_made_a_nan_for_any_operand_is_named(engine: Backend, sample: Sample) -> None:
    """The error names an op of two operands whichever of them its rule makes a NaN for."""
    multiply, negative, tanh = engine.op(MULTIPLY), engine.op(NEGATIVE), engine.op(TANH)
    g = np.array([1, 0, 4], sample.dtype)
    finite, infinite = np.array([1, 2, 4], sample.dtype), np.array([1, np.inf, 4], sample.dtype)
    for operand in range(2):  # that of a NaN: its cotangent is 0 times the other operand

        def function(a: Any, b: Any, operand: int = operand) -> Any:
            factors = (tanh(a), b) if operand == 0 else (b, tanh(a))
            return negative(multiply(*factors))

        message = _message(engine, function, [finite, infinite], g)
        if message is None:
            raise Violation(f"a product made a NaN for operand {operand}, and no error was raised")
        if SHORT_NAME not in message.lower() or TANH in message.lower():
            raise Violation(f"a product made a NaN for operand {operand}, and the error says: {message}")
