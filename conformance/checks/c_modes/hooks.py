"""Hooks on cotangents (C9)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from conformance.backend import Backend, Capability
from conformance.case import Array
from conformance.checks.comparison import hold_equal
from conformance.checks.engine_calls import gradients_of, tape_of
from conformance.checks.observation import plain
from conformance.checks.registry import contract
from conformance.checks.sample import Sample
from conformance.errors import Violation
from conformance.ops.names import ADD, MULTIPLY, NEGATIVE

Hook = Callable[[Any], Any]


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
    hold_equal(
        got[0], arrived * w + g, "x's gradient of (x * w) ** 2 + x * w + x, with hooks that return None"
    )
    hold_equal(got[1], arrived * x, "w's gradient of (x * w) ** 2 + x * w + x, with hooks that return None")


@contract("C9", "each-backward", Capability.HOOKS, Capability.TAPE)
def hook_is_called_at_each_backward(engine: Backend, sample: Sample) -> None:
    """A hook on a leaf is called at each backward, with the cotangent of that backward, not the accumulated sum."""
    tape, x, g = tape_of(engine), sample.array(), sample.array()
    leaf, seen = tape.leaf(np.array(x)), []
    tape.hook(leaf, lambda c: seen.append(plain(tape, c)))
    negative, multiply = tape.op(NEGATIVE), tape.op(MULTIPLY)
    for output in (negative(leaf), multiply(leaf, leaf)):
        tape.backward(output, tape.array(np.array(g)))
    if len(seen) != 2:
        raise Violation(f"a hook on a leaf was called {len(seen)} times in two backward calls")
    hold_equal(seen[0], -g, "what a hook on a leaf sees in the first backward")
    hold_equal(seen[1], 2 * g * x, "what a hook on a leaf sees in the second backward")


@contract("C9", "order", Capability.HOOKS)
def hooks_are_called_in_order_and_may_replace(engine: Backend, sample: Sample) -> None:
    """Hooks are called in the order of registration; the next one sees what one returns; None changes nothing."""
    x, w, g = (sample.array() for _ in range(3))
    seen: list[Array] = []

    def doubling(c: Any) -> Any:
        seen.append(plain(engine, c))
        return c + c

    def observing(c: Any) -> None:
        seen.append(plain(engine, c))

    def tripling(c: Any) -> Any:
        seen.append(plain(engine, c))
        return c + c + c

    got = _hooked(engine, [x, w], g, (doubling, observing, tripling))
    if len(seen) != 3:
        raise Violation(f"three hooks on one value were called {len(seen)} times in all")
    for index, factor in enumerate((1, 2, 2)):
        hold_equal(seen[index], factor * g, f"the cotangent that hook {index} of three sees")
    hold_equal(got[0], 6 * g * w, "x's gradient of x * w, its cotangent doubled and tripled by hooks")
    hold_equal(got[1], 6 * g * x, "w's gradient of x * w, its cotangent doubled and tripled by hooks")


@contract("C9", "removed", Capability.HOOKS)
def removed_hook_is_not_called(engine: Backend, sample: Sample) -> None:
    """A removed hook is not called, and the others still are."""
    x, w, g = (sample.array() for _ in range(3))
    seen: list[str] = []
    hooks = [lambda c, name=name: seen.append(name) for name in ("first", "second", "third")]
    got = _hooked(engine, [x, w], g, hooks, removed=1)
    if seen != ["first", "third"]:
        raise Violation(f"of three hooks the second was removed; called were {', '.join(seen) or 'none'}")
    hold_equal(got[0], g * w, "x's gradient of x * w after a hook was removed")


def _hooked(
    engine: Backend, operands: Any, g: Array, hooks: Sequence[Hook], removed: int | None = None
) -> list[Any]:
    """The gradients of a product with hooks on it, one of them removed again."""
    multiply = engine.op(MULTIPLY)

    def function(a: Any, b: Any) -> Any:
        product = multiply(a, b)
        removers = [engine.hook(product, hook) for hook in hooks]
        if removed is not None:
            removers[removed]()
        return product

    return gradients_of(engine, function, operands, g)
