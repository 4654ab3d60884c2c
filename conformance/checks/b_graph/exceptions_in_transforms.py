"""Exceptions inside a function that an engine transforms (B18)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from conformance.backend import Backend, Capability, Function
from conformance.case import Array
from conformance.checks.comparison import hold_equal
from conformance.checks.engine_calls import IntentionalError, gradients_of, hold_working, is_intentional
from conformance.checks.observation import plain
from conformance.checks.registry import contract
from conformance.checks.sample import Sample
from conformance.errors import Unsupported, Violation, error_text
from conformance.ops.names import MULTIPLY

Way = Callable[[Function, Array, Array], Any]  # of a function, x and g: the array that is 2 g x of the square


@contract("B18", "exception-in-transforms")
def transforms_work_after_an_exception_inside_them(engine: Backend, sample: Sample) -> None:
    """An exception inside a function that is pushed forward, nested, vectorized, checkpointed, compiled or looped over reaches the caller, and afterwards the same of x x is right, and so is a gradient without any of them."""
    multiply = engine.op(MULTIPLY)
    asked = 0

    def square(a: Any) -> Any:
        return multiply(a, a)

    def interrupted(a: Any) -> Any:
        multiply(a, a)
        raise IntentionalError("a function")

    for what, way in _ways(engine).items():
        x, g = sample.array(), sample.array()
        try:
            before = way(square, x, g)
        except Unsupported:
            continue
        hold_equal(before, 2 * g * x, f"the derivative of x x, {what}")
        _hold_raised(lambda way=way, x=x, g=g: way(interrupted, x, g), what)  # type: ignore[misc]
        after = f"after an exception inside a function, {what}"
        hold_equal(way(square, x, g), 2 * g * x, f"the derivative of x x {after}")
        hold_working(engine, sample, after)
        asked += 1
    if not asked:
        raise Unsupported("the engine has no transform of functions")


def _hold_raised(call: Callable[[], Any], what: str) -> None:
    try:
        call()
    except Exception as error:
        if not is_intentional(error):
            raise Violation(
                f"instead of the exception inside a function, {what}, came {error_text(error)}"
            ) from error
        return
    raise Violation(f"an exception inside a function, {what}, did not reach the caller")


def _ways(engine: Backend) -> dict[str, Way]:
    """By words that follow what is computed, the transforms that the engine offers."""

    def pushed(function: Function, x: Array, g: Array) -> Any:
        tangent = engine.jvp(function, [np.array(x)], [np.array(g)])[1][0]
        return None if tangent is None else plain(engine, tangent)

    def made_by(make: Callable[[Function], Function]) -> Way:
        return lambda function, x, g: gradients_of(engine, make(lambda a: function(a)), [x], g)[0]

    def looped(function: Function, x: Array, g: Array) -> Any:
        items = engine.array(np.zeros((1,), x.dtype))
        once = lambda a: engine.scan(lambda h, item: (function(h), item), a, items)[0]  # noqa: E731
        return gradients_of(engine, once, [x], g)[0]

    def nested(function: Function, x: Array, g: Array) -> Any:
        def derivative(a: Any, h: Any) -> Any:
            return engine.nested_vjp(function, [a], [h])[0]

        # Its derivative by the cotangent is 2 x.
        return gradients_of(engine, derivative, [x, np.ones_like(x)], g)[1]

    every: dict[Capability, tuple[str, Way]] = {
        Capability.FORWARD: ("pushed forward", pushed),
        Capability.HIGHER_ORDER: ("in a gradient of a gradient", nested),
        Capability.VECTORIZING: ("vectorized", made_by(engine.vectorized)),
        Capability.CHECKPOINTING: ("in a checkpoint", made_by(engine.checkpoint)),
        Capability.COMPILING: ("compiled", made_by(engine.compiled)),
        Capability.LOOPS: ("in a loop of the engine's", looped),
    }
    return dict(way for need, way in every.items() if need in engine.capabilities)
