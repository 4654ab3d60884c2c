"""Hooks on cotangents (C9)."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from conformance.backend import Backend, Capability
from conformance.case import Array
from conformance.checks.comparison import hold_equal
from conformance.checks.each_member import hold_for_each
from conformance.checks.engine_calls import gradients_of, tape_of, unless_refused
from conformance.checks.members import Member, gradients_in, members, tupled, weighted
from conformance.checks.observation import Answer, hold_gradient, plain
from conformance.checks.registry import NotThisCase, contract, declared_convention
from conformance.checks.sample import Sample
from conformance.errors import Violation
from conformance.ops.names import ADD, MULTIPLY, NEGATIVE

Hook = Callable[[Any], Any]
Hooks = Sequence[Hook]


def doubling(engine: Backend) -> Hook:
    """A hook that doubles a cotangent by the engine's own sum: its arrays need have no operators."""
    add = engine.op(ADD)
    return lambda c: add(c, c)


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
    """A hook on a leaf is called at each backward, with the cotangent of that backward, not the accumulated sum.

    So it is where the leaf's gradient is cleared between them.
    """
    tape = tape_of(engine)
    for is_cleared in (False, True)[: 2 if Capability.CLEARING in engine.capabilities else 1]:
        x, g = sample.array(), sample.array()
        leaf = tape.leaf(np.array(x))
        seen: list[Array] = []

        def observing(c: Any, seen: list[Array] = seen) -> None:
            seen.append(plain(tape, c))

        tape.hook(leaf, observing)
        negative, multiply = tape.op(NEGATIVE), tape.op(MULTIPLY)
        for output in (negative(leaf), multiply(leaf, leaf)):
            tape.backward(output, tape.array(np.array(g)))
            if is_cleared:
                tape.clear(leaf)
        cleared = ", the gradient cleared after each" if is_cleared else ""
        if len(seen) != 2:
            raise Violation(f"a hook on a leaf was called {len(seen)} times in two backward calls{cleared}")
        hold_equal(seen[0], -g, f"what a hook on a leaf sees in the first backward{cleared}")
        hold_equal(seen[1], 2 * g * x, f"what a hook on a leaf sees in the second backward{cleared}")


@contract("C9", "same-function", Capability.HOOKS)
def function_that_is_a_hook_several_times_is_called_for_each(engine: Backend, sample: Sample) -> None:
    """One function that is a hook of a value twice, and of another value, is called for each; one removed leaves the others."""
    multiply, double = engine.op(MULTIPLY), doubling(engine)
    for is_removed in (False, True):
        x, w, g = (sample.array() for _ in range(3))
        seen: list[Array] = []

        def doubled(c: Any, seen: list[Array] = seen) -> Any:
            seen.append(plain(engine, c))
            return double(c)

        def function(a: Any, b: Any, hook: Hook = doubled, is_removed: bool = is_removed) -> Any:
            product = multiply(a, b)
            removers = [engine.hook(array, hook) for array in (product, product, a)]
            if is_removed:
                removers[0]()
            return product

        got = gradients_of(engine, function, [x, w], g)
        factor, removed = (2, ", one of them removed") if is_removed else (4, "")
        if len(seen) != (2 if is_removed else 3):
            raise Violation(
                f"a function that is a hook three times{removed or ', none removed'}, was called {len(seen)} times"
            )
        hooked = f"a function that doubles is a hook of x * w twice, of x once{removed}"
        hold_equal(got[0], 2 * factor * g * w, f"x's gradient where {hooked}")
        hold_equal(got[1], factor * g * x, f"w's gradient where {hooked}")


@contract("C9", "order", Capability.HOOKS)
def hooks_are_called_in_order_and_may_replace(engine: Backend, sample: Sample) -> None:
    """Hooks are called in the order of registration; the next one sees what one returns; None changes nothing."""
    x, w, g = (sample.array() for _ in range(3))
    seen: list[Array] = []
    add = engine.op(ADD)

    def doubled(c: Any) -> Any:
        seen.append(plain(engine, c))
        return add(c, c)

    def observing(c: Any) -> None:
        seen.append(plain(engine, c))

    def tripling(c: Any) -> Any:
        seen.append(plain(engine, c))
        return add(add(c, c), c)

    got = _hooked(engine, [x, w], g, (doubled, observing, tripling))
    if len(seen) != 3:
        raise Violation(f"three hooks on one value were called {len(seen)} times in all")
    for index, factor in enumerate((1, 2, 2)):
        hold_equal(seen[index], factor * g, f"the cotangent that hook {index + 1} of three sees")
    hold_equal(got[0], 6 * g * w, "x's gradient of x * w, its cotangent doubled and tripled by hooks")
    hold_equal(got[1], 6 * g * x, "w's gradient of x * w, its cotangent doubled and tripled by hooks")


@contract("C9", "removed", Capability.HOOKS)
def removed_hook_is_not_called(engine: Backend, sample: Sample) -> None:
    """A removed hook is not called, and the others still are, also where it is removed twice, or another is set then."""
    for then in ((), ("fourth",)):
        x, w, g = (sample.array() for _ in range(3))
        seen: list[str] = []
        names = ("first", "second", "third", *then)
        hooks = [lambda c, name=name, seen=seen: seen.append(name) for name in names]
        got = _hooked(engine, [x, w], g, hooks[:3], removed=1, then=hooks[3:])
        if seen != ["first", "third", *then]:
            after = ", and a fourth was set then" if then else ""
            raise Violation(
                f"of three hooks the second was removed{after}; called were {', '.join(seen) or 'none'}"
            )
        hold_equal(got[0], g * w, "x's gradient of x * w after a hook was removed")


def _hooked(
    engine: Backend, operands: Any, g: Array, hooks: Hooks, removed: int | None = None, then: Hooks = ()
) -> list[Any]:
    """The gradients of a product with hooks on it, one of them removed again, and others set `then`."""
    multiply = engine.op(MULTIPLY)

    def function(a: Any, b: Any) -> Any:
        product = multiply(a, b)
        removers = [engine.hook(product, hook) for hook in hooks]
        if removed is not None:
            removers[removed]()
            with contextlib.suppress(Exception):  # to remove a hook again may be refused
                removers[removed]()
        for hook in then:
            engine.hook(product, hook)
        return product

    return gradients_of(engine, function, operands, g)


@contract("C9", "every-op", Capability.HOOKS, is_wide=True)
def hook_on_what_any_op_computes_sees_its_cotangent(engine: Backend, sample: Sample) -> None:
    """A hook on an output of any op sees its cotangent once, and the gradient is that of what it returns.

    The other outputs have cotangents of zeros: an engine may compute one of them from this one.
    """
    double = doubling(engine)

    def hold(number: int, member: Member, alone: Answer) -> None:
        function, position = member.function(engine), number % len(member.cotangents)
        given = [c if i == position else np.zeros_like(c) for i, c in enumerate(member.cotangents)]
        seen: list[Array] = []

        def observing(c: Any) -> Any:
            seen.append(plain(engine, c))
            return double(c)

        def graph(operands: Any, weights: Any) -> Any:
            outputs = tupled(function(*operands))
            if any(outputs[position] is x for x in operands):
                raise NotThisCase("an identity that returns its operand itself")
            engine.hook(outputs[position], observing)
            return weighted(engine, weights, outputs)

        got, _ = gradients_in(engine, member, graph, given)
        if len(seen) != 1:
            raise Violation(f"a hook on output {position} of {member} was called {len(seen)} times")
        hold_equal(
            seen[0], given[position], f"the cotangent that a hook on output {position} of {member} sees"
        )
        _, expected = engine.vjp(function, member.operands, [c + c for c in given], member.wrt)
        right = [None if e is None else plain(engine, e) for e in expected]
        member.hold(got, right, "an output having a hook")

    hold_for_each(engine, members(engine, sample), hold, first=sample.seed)


@contract("C9", "after-write", Capability.HOOKS, Capability.RECORDED_WRITES)
def hook_after_a_write_sees_the_cotangent_of_what_was_written(engine: Backend, sample: Sample) -> None:
    """Hooks set on an array before and after a write into it see the cotangents of the array as it was and as it is, each once."""
    x, w, g = sample.array((3, 2)), sample.array((2,)), sample.array((3, 2))
    negative = engine.op(NEGATIVE)
    seen: dict[str, list[Array]] = {"before": [], "after": []}

    def function(a: Any, b: Any) -> Any:
        target = negative(a)
        engine.hook(target, lambda c: seen["before"].append(plain(engine, c)))
        engine.assign(target, (0,), b)
        engine.hook(target, lambda c: seen["after"].append(plain(engine, c)))
        return negative(target)

    if unless_refused(lambda: gradients_of(engine, function, [x, w], g)) is not None:
        kept = np.array([[0], [1], [1]], g.dtype)  # what is left of the array as it was
        for when, expected in (("before", -g * kept), ("after", -g)):
            if len(seen[when]) != 1:
                raise Violation(f"a hook set {when} a write was called {len(seen[when])} times")
            hold_equal(seen[when][0], expected, f"the cotangent that a hook set {when} a write sees")


@contract("C9", "removed-by-hooks", Capability.HOOKS, Capability.TAPE)
def hook_may_remove_itself_or_another(engine: Backend, sample: Sample) -> None:
    """A hook that removes itself, or another one, while it is called: those left are called in that backward and the next.

    What it returns counts all the same.
    """
    tape, multiply, double = tape_of(engine), engine.op(MULTIPLY), doubling(engine)
    for victim in ("itself", "another", "an earlier one"):
        x, w, g = (sample.array() for _ in range(3))
        leaf = tape.leaf(np.array(x))
        seen: list[str] = []
        removers: dict[str, Callable[[], None]] = {}

        def removing(c: Any, victim: str = victim, removers: Any = removers, seen: Any = seen) -> Any:
            seen.append("removing")
            removers.pop(victim, lambda: None)()
            return double(c)

        removers["an earlier one"] = tape.hook(leaf, lambda c: None)
        removers["itself"] = tape.hook(leaf, removing)
        removers["another"] = tape.hook(leaf, _noting(seen, "another"))
        tape.hook(leaf, _noting(seen, "last"))
        for _ in range(2):
            tape.backward(multiply(leaf, tape.array(np.array(w))), tape.array(np.array(g)))
        # Whether a hook that is removed in a backward pass is still called in that pass is not claimed.
        every = ["removing", "another", "last"]
        left = [name for name in every if name != {"itself": "removing"}.get(victim, victim)]
        is_skipped = victim == "itself" and seen.count("another") != 2
        if seen[0] != "removing" or seen[-len(left) :] != left or seen.count("last") != 2 or is_skipped:
            raise Violation(f"a hook removed {victim}; in two backward calls were called {', '.join(seen)}")
        doubled = [2, 1 if victim == "itself" else 2]
        times = sum(doubled) if declared_convention(tape, "B3") == "accumulates" else doubled[-1]
        hold_equal(plain(tape, tape.grad(leaf)), times * g * w, f"a gradient whose hook removes {victim}")


def _noting(seen: list[str], name: str) -> Hook:
    """A hook that notes its name when it is called."""
    return lambda c: seen.append(name)


@contract("C9", "recorded-backward", Capability.HOOKS, Capability.HIGHER_ORDER)
def hook_takes_part_in_a_recorded_backward(engine: Backend, sample: Sample) -> None:
    """In a backward pass that is recorded a hook's result is recorded too, on intermediates and on their sum."""
    x, w, g, v = (sample.array() for _ in range(4))
    multiply = engine.op(MULTIPLY)

    def hooked(a: Any, b: Any) -> Any:
        square = multiply(a, a)
        engine.hook(square, doubling(engine))
        return multiply(square, b)

    def first(a: Any, b: Any) -> Any:
        return engine.nested_vjp(hooked, [a, b], [engine.array(np.array(g))])[0]

    outputs, gradients = engine.vjp(first, [np.array(x), np.array(w)], [np.array(v)])
    hold_equal(
        plain(engine, outputs[0]), 4 * g * x * w, "x's gradient of x²w, the cotangent of x² doubled by a hook"
    )
    for got, expected, name in zip(gradients, (4 * g * w * v, 4 * g * x * v), "xw", strict=True):
        hold_gradient(engine, got, expected, f"its derivative by {name}")
