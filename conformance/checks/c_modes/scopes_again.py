"""Scopes that are entered more than once, and what raises in them (C1)."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Any

import numpy as np

from conformance.backend import Backend, Capability
from conformance.case import Array
from conformance.checks.b_graph.history_runner import in_other_thread
from conformance.checks.comparison import hold_equal
from conformance.checks.engine_calls import (
    IntentionalError,
    answer_or_refusal,
    gradients_of,
    is_refused,
    unless_refused,
)
from conformance.checks.registry import contract
from conformance.checks.sample import Sample
from conformance.ops.names import MULTIPLY

Scope = AbstractContextManager[Any]


def _one_behind_the_other(scope: Scope) -> None:
    for _ in range(2):
        with scope:
            pass


def _one_in_the_other(scope: Scope) -> None:
    with scope, scope:
        pass


def _in_a_call_of_itself(scope: Scope, depth: int = 3) -> None:
    with scope:
        if depth:
            _in_a_call_of_itself(scope, depth - 1)


WAYS: dict[str, Callable[[Scope], None]] = {
    "entered again after it was left": _one_behind_the_other,
    "entered again inside of itself": _one_in_the_other,
    "entered by a function that calls itself": _in_a_call_of_itself,
}


@contract("C1", "no-grad-again", Capability.NO_GRAD)
def scope_that_is_entered_again_is_refused_or_ends(engine: Backend, sample: Sample) -> None:
    """A scope object that is entered a second time is refused, or records nothing again; afterwards recording resumes either way."""
    multiply = engine.op(MULTIPLY)
    for what, enter in WAYS.items():
        x, g = sample.array(), sample.array()

        def afterwards(enter: Any = enter, x: Array = x, g: Array = g) -> Array:
            is_refused(lambda: enter(engine.no_grad()))
            gradients: list[Array] = gradients_of(engine, lambda a: multiply(a, a), [x], g)
            return gradients[0]

        got = in_other_thread(afterwards)  # with which a scope ends that cannot be left
        hold_equal(got, 2 * g * x, f"the gradient of x * x after a no_grad scope was {what}")
    x, g, scope = sample.array(), sample.array(), engine.no_grad()

    def partly(a: Any) -> Any:
        product = a
        for _ in range(2):
            with scope:
                product = multiply(product, a)
        return multiply(product, a)

    given = unless_refused(lambda: gradients_of(engine, partly, [np.array(x)], g))
    if given is not None:
        hold_equal(given[0], g * x**3, "the gradient of (x³, not recorded) * x, by one scope entered twice")


@contract("C1", "no-grad-outlasts-failures", Capability.NO_GRAD)
def scope_outlasts_functions_that_raise_in_it(engine: Backend, sample: Sample) -> None:
    """A no_grad scope outlasts transforms and checkpoints of a function that raises in it: nothing is recorded afterwards."""
    multiply = engine.op(MULTIPLY)
    x, g = sample.array(), sample.array()

    def interrupted(a: Any) -> Any:
        multiply(a, a)
        raise IntentionalError("a function")

    for what, (layer, call) in _calls_of(engine, interrupted, x).items():
        if layer not in engine.capabilities:
            continue

        def partly(a: Any, call: Callable[[], Any] = call) -> Any:
            with engine.no_grad():
                answer_or_refusal(call)
                square = multiply(a, a)
            return multiply(square, a)

        (got,) = gradients_of(engine, partly, [x], g)
        hold_equal(
            got, g * x * x, f"the gradient of (x², not recorded) * x, after {what} raised in the scope"
        )


def _calls_of(engine: Backend, function: Any, x: Array) -> dict[str, tuple[Capability, Callable[[], Any]]]:
    """Ways to call a function of one array: what the engine must have, and the call."""

    def array() -> Any:
        return engine.array(np.array(x))

    return {
        "a gradient": (
            Capability.HIGHER_ORDER,
            lambda: engine.nested_vjp(function, [array()], [array()]),
        ),
        "a tangent": (Capability.FORWARD, lambda: engine.nested_jvp(function, [array()], [array()])),
        "a checkpoint": (Capability.CHECKPOINTING, lambda: engine.checkpoint(function)(array())),
        "a compiled function": (Capability.COMPILING, lambda: engine.compiled(function)(array())),
        "a vectorized function": (Capability.VECTORIZING, lambda: engine.vectorized(function)(array())),
    }
