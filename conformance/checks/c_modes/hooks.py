"""Chapter C: watching cotangents on their way back."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from conformance.backend import Backend, Capability, TapeBackend
from conformance.case import Array
from conformance.checks.engine_calls import gradients_of, is_refusal
from conformance.checks.observation import hold_equal, plain
from conformance.checks.registry import contract
from conformance.checks.sample import Sample
from conformance.errors import Violation
from conformance.ops.names import ADD, LOG, MULTIPLY, NEGATIVE, SQRT, TANH

Hook = Callable[[Any], Any]


# ---- anomalies -----------------------------------------------------------------------------------


@contract("C8", "named", Capability.ANOMALY)
def op_that_made_the_first_nan_is_named(engine: Backend, sample: Sample) -> None:
    """The error names the op whose way back made the first NaN, not those before it or behind it."""
    for culprit in (SQRT, LOG):
        message = _anomaly(engine, _nan_in(engine, culprit), np.array([1, 0, 4], sample.dtype))
        if message is None:
            raise Violation(f"the way back through {culprit} made a NaN, and no error was raised")
        if culprit not in message.lower() or TANH in message.lower():
            raise Violation(f"{culprit} made a NaN on the way back, and the error says: {message}")


def _nan_in(engine: Backend, culprit: str) -> Callable[[Any], Any]:
    """0 * tanh(culprit(x * x)): at 0 the culprit's slope is infinite, and what arrives there is 0."""
    multiply, tanh, made = engine.op(MULTIPLY), engine.op(TANH), engine.op(culprit)

    def function(a: Any) -> Any:
        return multiply(tanh(made(multiply(a, a))), engine.array(np.zeros(3, plain(engine, a).dtype)))

    return function


def _anomaly(engine: Backend, function: Any, operand: Array) -> str | None:
    """What the engine says of a gradient asked where it looks for anomalies; None where it raises nothing."""
    try:
        with engine.anomaly():
            gradients_of(engine, function, [operand], np.ones_like(operand))
    except Exception as error:
        if not is_refusal(error):
            raise
        return f"{type(error).__name__}: {error}"
    return None


@contract("C8", "quiet", Capability.ANOMALY)
def nothing_is_raised_where_nothing_is_wrong(engine: Backend, sample: Sample) -> None:
    """Where no NaN is made the scope changes nothing, and after it a NaN raises nothing."""
    x, g = sample.array(), sample.array()
    multiply = engine.op(MULTIPLY)
    with engine.anomaly():
        (got,) = gradients_of(engine, lambda a: multiply(a, a), [x], g)
    hold_equal(got, 2 * g * x, "the gradient of x * x where anomalies are looked for")
    operand = np.array([1, 0, 4], sample.dtype)
    (after,) = gradients_of(engine, _nan_in(engine, SQRT), [operand], np.ones_like(operand))
    hold_equal(
        np.isnan(after), operand == 0, "where the gradient of 0 * tanh(sqrt(x * x)) is NaN, after the scope"
    )


# ---- hooks ---------------------------------------------------------------------------------------


@contract("C9", "once", Capability.HOOKS)
def hook_sees_the_summed_cotangent_once(engine: Backend, sample: Sample) -> None:
    """A hook is called once per backward, with the sum of all contributions, on leaves and on results."""
    x, w, g = (sample.array() for _ in range(3))
    seen: dict[str, list[Array]] = {"x": [], "x * w": []}

    def function(engine: Backend, a: Any, b: Any) -> Any:
        add, multiply = engine.op(ADD), engine.op(MULTIPLY)
        engine.hook(a, lambda c: seen["x"].append(plain(engine, c)))
        y = multiply(a, b)
        engine.hook(y, lambda c: seen["x * w"].append(plain(engine, c)))
        return add(add(multiply(y, y), y), a)

    got = gradients_of(engine, lambda a, b: function(engine, a, b), [x, w], g)
    arrived = g * (2 * x * w + 1)
    for what, cotangent in (("x * w", arrived), ("x", arrived * w + g)):
        if len(seen[what]) != 1:
            raise Violation(
                f"a hook on {what}, which is used several times, was called {len(seen[what])} times"
            )
        hold_equal(seen[what][0], cotangent, f"the cotangent that a hook on {what} sees")
    hold_equal(got[0], arrived * w + g, "x's gradient of (x * w) ** 2 + x * w + x, with hooks that look on")
    hold_equal(got[1], arrived * x, "w's gradient of (x * w) ** 2 + x * w + x, with hooks that look on")


@contract("C9", "each-backward", Capability.HOOKS, Capability.TAPE)
def hook_is_called_at_each_backward(engine: Backend, sample: Sample) -> None:
    """A hook on a leaf is called at each backward, with that walk's cotangent rather than the sum so far."""
    assert isinstance(engine, TapeBackend)  # the capability says so
    x, g = sample.array(), sample.array()
    leaf, seen = engine.leaf(np.array(x)), []
    engine.hook(leaf, lambda c: seen.append(plain(engine, c)))
    negative, multiply = engine.op(NEGATIVE), engine.op(MULTIPLY)
    for output in (negative(leaf), multiply(leaf, leaf)):
        engine.backward(output, engine.array(np.array(g)))
    if len(seen) != 2:
        raise Violation(f"a hook on a leaf was called {len(seen)} times in two backward calls")
    hold_equal(seen[0], -g, "what a hook on a leaf sees in the first backward")
    hold_equal(seen[1], 2 * g * x, "what a hook on a leaf sees in the second backward")


@contract("C9", "order", Capability.HOOKS)
def hooks_are_called_in_order_and_may_replace(engine: Backend, sample: Sample) -> None:
    """Hooks are called in the order they came; what one returns the next sees, and None changes nothing."""
    x, w, g = (sample.array() for _ in range(3))
    seen: list[Array] = []

    def doubling(c: Any) -> Any:
        seen.append(plain(engine, c))
        return c + c

    def looking(c: Any) -> None:
        seen.append(plain(engine, c))

    def tripling(c: Any) -> Any:
        seen.append(plain(engine, c))
        return c + c + c

    got = _hooked(engine, [x, w], g, (doubling, looking, tripling))
    if len(seen) != 3:
        raise Violation(f"three hooks on one value were called {len(seen)} times in all")
    for index, factor in enumerate((1, 2, 2)):
        hold_equal(seen[index], factor * g, f"the cotangent that hook {index} of three sees")
    hold_equal(got[0], 6 * g * w, "x's gradient of x * w, its cotangent doubled and tripled by hooks")
    hold_equal(got[1], 6 * g * x, "w's gradient of x * w, its cotangent doubled and tripled by hooks")


@contract("C9", "removed", Capability.HOOKS)
def removed_hook_is_called_no_more(engine: Backend, sample: Sample) -> None:
    """A removed hook is not called, and the others still are."""
    x, w, g = (sample.array() for _ in range(3))
    seen: list[str] = []
    hooks = [lambda c, name=name: seen.append(name) for name in ("first", "second", "third")]
    got = _hooked(engine, [x, w], g, hooks, removed=1)
    if seen != ["first", "third"]:
        raise Violation(f"of three hooks the second was removed; called were {', '.join(seen) or 'none'}")
    hold_equal(got[0], g * w, "x's gradient of x * w after a hook was removed")


def _hooked(engine: Backend, operands: Any, g: Array, hooks: Any, removed: int | None = None) -> list[Any]:
    """The gradients of a product with hooks on it, one of them removed again."""
    multiply = engine.op(MULTIPLY)

    def function(a: Any, b: Any) -> Any:
        product = multiply(a, b)
        removers = [engine.hook(product, hook) for hook in hooks]
        if removed is not None:
            removers[removed]()
        return product

    return gradients_of(engine, function, operands, g)
