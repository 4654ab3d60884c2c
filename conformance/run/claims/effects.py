"""Claims about what members do, as far as that shows nowhere in a gradient: rules, hooks, loops, graphs, what is recorded."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from conformance.backend import Backend, Capability, TapeBackend
from conformance.checks.comparison import hold_equal
from conformance.checks.engine_calls import full_sum, is_above
from conformance.checks.observation import plain
from conformance.checks.registry import NotThisCase
from conformance.errors import AdapterError, Unsupported, Violation, hold_no_stop
from conformance.ops.names import ADD, MULTIPLY
from conformance.run.claims.capabilities import array_of

Claim = tuple[str, Callable[[Any], None], str]


def ruled(backend: Backend) -> None:
    """The gradient of an op with a custom rule is the rule's, which is not the derivative."""
    x, g = array_of(backend, [3, 5]), array_of(backend, [1, -1])
    rule = backend.custom(lambda a: a + a, lambda g, a: (g + g + g,))
    _, (gradient,) = backend.vjp(rule, [np.array(x)], [np.array(g)])
    found = None if gradient is None else plain(backend, gradient)
    if found is not None and np.array_equal(found, 2 * g):
        raise Violation(
            "custom() ignores `backward`: x + x with the rule 3 g has the gradient 2 g, its derivative"
        )
    hold_equal(found, 3 * g, "the gradient of x + x by the rule 3 g")


def rule_recorded(backend: Backend) -> None:
    """A custom rule's result has its history: it is differentiated by the cotangent, unless the engine refuses that."""
    multiply, x, g = backend.op(MULTIPLY), *(array_of(backend, values) for values in ([3, 5], [2, 7]))
    square = backend.custom(lambda a: a * a, lambda g, a: (g * a + g * a,))

    def inner(h: Any) -> Any:
        (pulled,) = backend.nested_vjp(square, [backend.array(np.array(x))], [h])
        return multiply(h, pulled)

    what = "the cotangent times the gradient of x * x by a custom rule, by the cotangent"
    expected = 2 * g * x * g, 4 * g * x * array_of(backend, [1, -1])
    _hold_or_refused(backend, inner, g, expected, what)


def tangents_recorded(backend: Backend) -> None:
    """The tangents of nested_jvp() have their history, unless the engine refuses to differentiate them."""
    multiply, x, t, g = backend.op(MULTIPLY), *(array_of(backend, v) for v in ([3, 5], [2, 7], [1, -1]))

    def inner(a: Any) -> Any:
        (tangent,) = backend.nested_jvp(lambda y: multiply(y, y), [a], [backend.array(np.array(t))])
        return multiply(a, tangent)

    expected = 2 * x * t * x, 4 * x * t * g
    _hold_or_refused(backend, inner, x, expected, "x times the tangent of x * x, by x")


def _hold_or_refused(
    backend: Backend, function: Callable[[Any], Any], x: Any, expected: tuple[Any, Any], what: str
) -> None:
    """Claim the derivative at the cotangent [1, -1] of a product with a gradient or tangent, which goes missing alone where that is cut; `expected` has its value, too."""
    try:
        (output,), (gradient,) = backend.vjp(function, [np.array(x)], [array_of(backend, [1, -1])])
        if not np.array_equal(plain(backend, output), expected[0]):
            return  # another claim is about that
        found = None if gradient is None else plain(backend, gradient)
    except (AdapterError, Violation):
        raise
    except BaseException as error:
        # Many engines say of some ops that their gradients cannot be differentiated.
        hold_no_stop(error)
        return
    hold_equal(found, expected[1], f"the derivative of {what}")


def read_twice(backend: TapeBackend) -> None:
    """What grad() reads is still there."""
    multiply, x = backend.op(MULTIPLY), array_of(backend, [3, 5])
    leaf = backend.leaf(np.array(x))
    backend.backward(multiply(leaf, leaf), backend.array(array_of(backend, [1, 1])))
    for time in ("first", "second"):
        stored = backend.grad(leaf)
        found = None if stored is None else plain(backend, stored)
        hold_equal(found, 2 * x, f"the gradient of x * x that grad() reads the {time} time")


def detached_stores_nothing(backend: TapeBackend) -> None:
    """What detach() returns gets no gradient, where constants get none."""
    if backend.conventions.get("C4") == "stored":
        raise NotThisCase('C4 is declared "stored": the engine marks no constants')
    multiply, x = backend.op(MULTIPLY), array_of(backend, [3, 5])
    leaf = backend.leaf(np.array(x))
    detached = backend.detach(multiply(leaf, leaf))
    backend.backward(multiply(detached, leaf), backend.array(array_of(backend, [1, 1])))
    try:
        stored = backend.grad(detached)
    except BaseException as error:  # an engine may refuse to be asked
        hold_no_stop(error)
        return
    if stored is None or not plain(backend, stored).any():
        return
    if backend.conventions.get("C4") is None:
        raise NotThisCase(
            'what detach() returned got a gradient, and C4 is not declared: of an engine that marks no constants that is "stored"'
        )
    raise Violation("what detach() returned got a gradient of its product with x: it is a leaf, no constant")


def called_again(backend: Backend) -> None:
    """A checkpointed function is called more often than without a checkpoint, where that is declared: some engines do so before the backward pass."""
    if (declared := backend.conventions.get("C6")) != "calls":
        raise NotThisCase(f"C6 is declared {declared!r}" if declared else "C6 is not declared")
    multiply, calls = backend.op(MULTIPLY), [0]

    def square(a: Any) -> Any:
        calls[0] += 1
        return multiply(a, a)

    def calls_of(function: Callable[[Any], Any]) -> int:
        before = calls[0]
        _, gradients = backend.vjp(function, [array_of(backend, [3, 5])], [array_of(backend, [1, -1])])
        for gradient in gradients:
            if gradient is not None:
                plain(backend, gradient)  # a lazy engine may compute only now
        return calls[0] - before

    if calls_of(backend.checkpoint(square)) <= calls_of(square):
        raise Violation(
            'a checkpointed function is not called again for its gradient, and C6 is declared "calls": '
            "does checkpoint() return the function itself?"
        )


def unhooked(backend: Backend) -> None:
    """A hook that was removed changes nothing."""
    add, multiply = backend.op(ADD), backend.op(MULTIPLY)
    x, g = array_of(backend, [3, 5]), array_of(backend, [1, -1])

    def function(a: Any) -> Any:
        square = multiply(a, a)
        remove = backend.hook(square, lambda c: add(c, c))
        remove()
        return multiply(square, a)

    _, (gradient,) = backend.vjp(function, [np.array(x)], [np.array(g)])
    found = None if gradient is None else plain(backend, gradient)
    hold_equal(found, 3 * g * x * x, "the gradient of x * x * x, with a hook on x * x that was removed")


def loops_end(backend: Backend) -> None:
    """while_loop() makes no step where its condition does not hold, and as many as it holds."""
    multiply, total = backend.op(MULTIPLY), full_sum(backend)

    def function(x: Any, w: Any) -> Any:
        is_large = lambda a: is_above(backend, total(multiply(a, a)), 4.0)  # noqa: E731
        return backend.while_loop(is_large, lambda a: multiply(a, w), x)

    half = array_of(backend, [0.5, 0.5])
    for values, steps in (([1, 1], 0), ([3, 5], 2)):
        x = array_of(backend, values)
        with contextlib.suppress(Unsupported):
            (output,) = backend.forward(function, [np.array(x), np.array(half)])
            said = f"{values}, halved while the sum of squares is above 4: {steps or 'no'} steps"
            hold_equal(plain(backend, output), x * half**steps, said)


def auxiliary(backend: Backend) -> None:
    """What a function returns beside its value comes back beside the gradients."""
    multiply, total = backend.op(MULTIPLY), full_sum(backend)
    x, w = array_of(backend, [3, 5]), array_of(backend, [2, 7])

    def function(a: Any, b: Any) -> Any:
        return total(multiply(a, b)), multiply(a, a)

    arrays = [backend.array(np.array(value)) for value in (x, w)]
    with contextlib.suppress(Unsupported):
        value, _, beside = backend.value_and_gradient(function, arrays, (0, 1), auxiliary=True)
        if beside is None:
            raise Violation(
                "with auxiliary=True the function returned x * x beside its value, and None came back"
            )
        hold_equal(plain(backend, value), (x * w).sum(), "the value beside an auxiliary result")
        hold_equal(plain(backend, beside), x * x, "the auxiliary result x * x")


def shown(backend: TapeBackend) -> None:
    """A leaf's node has the leaf, and the inputs of a product's node are in the order of its operands."""
    x, w = (backend.leaf(array_of(backend, values)) for values in ([3, 5], [2, 7]))
    inputs = backend.graph(backend.op(MULTIPLY)(x, w)).inputs
    named = [node for node in inputs if node is not None and node.names_variable]
    if any(node.variable is None for node in named):
        raise Violation("the node of a leaf is said to name a variable, and its `variable` is None")
    if len(named) == 2 and named[0].variable is w and named[1].variable is x:
        raise Violation("the inputs of the node of x * w are those of w and x, in this order")


CLAIMS: tuple[tuple[frozenset[Capability], str, Callable[[Any], None], str], ...] = (
    (
        frozenset({Capability.TAPE}),
        "a gradient can be read twice",
        read_twice,
        "grad() reads what is stored, and leaves it there: clear() alone drops it",
    ),
    (
        frozenset({Capability.TAPE, Capability.DETACH}),
        "what is detached gets no gradient",
        detached_stores_nothing,
        "detach() returns the engine's own detached array, which needs no gradient, not a new leaf",
    ),
    (
        frozenset({Capability.CUSTOM_RULE}),
        "a custom rule is what is called",
        ruled,
        "custom() hands both functions on to the engine; drop CUSTOM_RULE if the engine takes no rules",
    ),
    (
        frozenset({Capability.CUSTOM_RULE, Capability.HIGHER_ORDER}),
        "a custom rule is differentiated by its cotangent",
        rule_recorded,
        "custom() gives the rule the engine's own cotangent, with its history, not a copy of its values",
    ),
    (
        frozenset({Capability.FORWARD, Capability.HIGHER_ORDER}),
        "an inner tangent can be differentiated",
        tangents_recorded,
        "nested_jvp() returns tangents with their history; where the engine has none of them, leave the method out",
    ),
    (
        frozenset({Capability.CHECKPOINTING}),
        "a checkpointed function is called again",
        called_again,
        "checkpoint() returns what the engine's own checkpoint makes of the function: drop CHECKPOINTING if the engine "
        'has none; where it replays a trace instead, declare that, conventions = {"C6": "replays"}',
    ),
    (
        frozenset({Capability.HOOKS}),
        "a hook that was removed is not called",
        unhooked,
        "hook() returns a function that removes the hook from the engine",
    ),
    (
        frozenset({Capability.LOOPS}),
        "a loop ends where its condition does not hold",
        loops_end,
        "while_loop() asks `condition` of the carry before each step, the first too, and returns the last carry",
    ),
    (
        frozenset({Capability.VALUE_WITH_GRADIENT}),
        "auxiliary results come back",
        auxiliary,
        "value_and_gradient() returns the value, the gradients and what the function returned beside the value, as it is; "
        "where the engine has nothing for that, raise Unsupported for auxiliary=True",
    ),
    (
        frozenset({Capability.TAPE, Capability.GRAPH}),
        "a graph's leaves are the operands, in order",
        shown,
        "graph() hands on the engine's node, with its inputs in order and, of a leaf, its variable; where the engine's nodes "
        "have no variable, leave names_variable False",
    ),
)


def claims_of(backend: Backend) -> Iterator[Claim]:
    """The claims about what an adapter declares: each, the function that tries it, and a hint."""
    for needs, claim, try_it, hint in CLAIMS:
        of_tape = Capability.TAPE not in needs or isinstance(backend, TapeBackend)
        if needs - {Capability.TAPE} <= backend.capabilities and of_tape:
            yield claim, try_it, hint
