"""Claims about what an adapter's members return inside a function that is differentiated, and in a scope within a scope."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from conformance.backend import Backend, Capability, Function, TapeBackend
from conformance.checks.comparison import hold_equal
from conformance.checks.engine_calls import full_sum
from conformance.checks.observation import plain
from conformance.errors import AdapterError, Unsupported, Violation, hold_no_stop
from conformance.ops.names import ADD, MULTIPLY
from conformance.run.claims.capabilities import array_of
from conformance.run.claims.members import retained

Claim = tuple[str, Callable[[Any], None], str]


def tangents(backend: Backend) -> None:
    """Inside a gradient nested_jvp() returns a tangent for each output, unless the engine refuses to differentiate them."""
    multiply, x, w = backend.op(MULTIPLY), array_of(backend, [3, 5]), array_of(backend, [2, 7])
    s, t, g = (array_of(backend, values) for values in ([1, -1], [4, 2], [1, 1]))
    functions: dict[str, tuple[Function, tuple[Any, ...]]] = {
        "x * x * w": (lambda a, b: multiply(multiply(a, a), b), (2 * x * w * s + x * x * t,)),
        "(x * w, x * x)": (lambda a, b: (multiply(a, b), multiply(a, a)), (w * s + x * t, 2 * x * s)),
    }
    for what, (function, expected) in functions.items():
        forms: list[str] = []

        def inner(a: Any, b: Any, function: Function = function, forms: list[str] = forms) -> Any:
            along = [backend.array(np.array(v)) for v in (s, t)]
            found = backend.nested_jvp(function, [a, b], along)
            is_tuple = isinstance(found, (tuple, list))
            forms.append(f"a tuple of {len(found)}" if is_tuple else type(found).__name__)
            return tuple(found) if len(found) > 1 else found[0]

        answer = None
        try:
            answer, _ = backend.vjp(inner, [np.array(x), np.array(w)], [np.array(g) for _ in expected])
        except (AdapterError, Violation):
            raise
        except BaseException as error:
            # Of some ops, or of several outputs, many engines have no tangents with a history.
            hold_no_stop(error)
        if forms and forms[0] != f"a tuple of {len(expected)}":
            raise Violation(f"the tangents of {what}: a tuple of {len(expected)} is due, and {forms[0]} came")
        for got, right in zip(answer or (), expected, strict=False):
            hold_equal(
                plain(backend, got), right, f"the tangent of {what} along [1, -1] and [4, 2], in a gradient"
            )


def value_recorded(backend: Backend) -> None:
    """The value and the gradient of value_and_gradient() have their history, unless the engine refuses to differentiate them."""
    add, multiply, total = backend.op(ADD), backend.op(MULTIPLY), full_sum(backend)
    x, g = array_of(backend, [3, 5]), array_of(backend, [1, -1])
    square: Function = lambda a: total(multiply(a, a))  # noqa: E731

    def with_value(a: Any) -> Any:
        return add(square(a), backend.value_and_gradient(square, [a], 0)[0])

    def times_gradient(a: Any) -> Any:
        return multiply(a, backend.value_and_gradient(square, [a], 0)[1])

    # Beside what has a history, since an engine may refuse a function that has none; what is cut off is missing alone.
    for function, cotangent, value, derivative, what in (
        (with_value, array_of(backend, 1), 2 * (x * x).sum(), 4 * x, "the sum of x * x, and its value again"),
        (times_gradient, g, 2 * x * x, 4 * x * g, "x times the gradient of the sum of x * x"),
    ):
        try:
            (output,), (gradient,) = backend.vjp(function, [np.array(x)], [cotangent])
            if not np.array_equal(plain(backend, output), value):
                continue  # another claim is about that
            found = None if gradient is None else plain(backend, gradient)
        except (AdapterError, Violation):
            raise
        except BaseException as error:
            # Many engines say of some ops that their gradients cannot be differentiated.
            hold_no_stop(error)
            continue
        hold_equal(found, derivative, f"the derivative of {what}, from value_and_gradient(), by x")


def scope_in_scope(backend: TapeBackend) -> None:
    """What follows a no_grad scope that lies within another is not recorded, and what follows both is."""
    multiply, x, g = backend.op(MULTIPLY), array_of(backend, [3, 5]), array_of(backend, [1, -1])

    def function(a: Any) -> Any:
        with backend.no_grad():
            with backend.no_grad():
                pass
            square = multiply(a, a)
        return multiply(square, a)

    _, (gradient,) = backend.vjp(function, [np.array(x)], [np.array(g)])
    found = None if gradient is None else plain(backend, gradient)
    hold_equal(
        found, g * x * x, "the gradient of x * x * x, whose x * x follows a scope that ended in another"
    )


def passed_again(backend: TapeBackend) -> None:
    """A second pass through a graph that need not be kept is refused, or has its gradient: by another cotangent, to tell."""
    multiply, x = backend.op(MULTIPLY), array_of(backend, [3, 5])
    g, h = array_of(backend, [1, -1]), array_of(backend, [4, 2])
    try:
        retained(backend)
    except BaseException as error:  # with `retain` it is wrong, too: another claim is about that
        hold_no_stop(error)
        return
    leaf = backend.leaf(np.array(x))
    output = multiply(leaf, leaf)
    backend.backward(output, backend.array(np.array(g)))
    try:
        backend.backward(output, backend.array(np.array(h)))
        stored = backend.grad(leaf)
    except (AdapterError, Violation):
        raise
    except BaseException as error:  # an engine may free its graphs
        hold_no_stop(error)
        return
    found = None if stored is None else plain(backend, stored)
    if found is not None and np.array_equal(found, 2 * h * x):
        return  # it replaced that of the first
    hold_equal(found, 2 * (g + h) * x, "the gradient of x * x after two passes, neither with `retain`")


def tangents_ruled(backend: Backend) -> None:
    """A rule of forward mode gets the tangent of each operand, zeros for a constant."""
    x, w = array_of(backend, [3, 5]), array_of(backend, [2, 7])
    s, t = array_of(backend, [1, -1]), array_of(backend, [4, 2])
    _, (plainly,) = backend.jvp(backend.op(MULTIPLY), [np.array(x), np.array(w)], [np.array(s), np.array(t)])
    if not np.array_equal(plain(backend, plainly), s * w + x * t):
        return  # another claim is about that
    product = backend.custom_forward(lambda a, b: a * b, lambda xs, ts: ts[0] * xs[1] + xs[0] * ts[1])
    for place, what in ((None, "both"), (0, "x, with w a constant"), (1, "w, with x a constant")):
        along = [t if place == i else 0 * t for i in range(2)] if place is not None else [s, t]

        def function(*given: Any, place: int | None = place) -> Any:
            if place is None:
                return product(*given)
            return (
                product(given[0], backend.array(np.array(w)))
                if place == 0
                else product(backend.array(np.array(x)), given[0])
            )

        chosen = [0, 1] if place is None else [place]
        with contextlib.suppress(Unsupported):
            _, (tangent,) = backend.jvp(
                function, [np.array((x, w)[i]) for i in chosen], [np.array(along[i]) for i in chosen]
            )
            expected = along[0] * w + x * along[1]
            hold_equal(plain(backend, tangent), expected, f"the tangent of x * w by a rule, along {what}")


CLAIMS: tuple[tuple[frozenset[Capability], str, Callable[[Any], None], str], ...] = (
    (
        frozenset({Capability.FORWARD, Capability.HIGHER_ORDER}),
        "an inner tangent is that of each output",
        tangents,
        "nested_jvp() returns a tuple of the tangents, one for each output, not the values; several outputs are a tuple",
    ),
    (
        frozenset({Capability.FORWARD, Capability.FORWARD_RULES}),
        "a rule of forward mode gets each operand's tangent",
        tangents_ruled,
        "custom_forward() calls `pushforward(operands, tangents)` with a tangent for each operand, in order: where the engine asks "
        "for one operand at a time, those of the others are zeros",
    ),
    (
        frozenset({Capability.VALUE_WITH_GRADIENT, Capability.HIGHER_ORDER}),
        "a value and its gradient can be differentiated",
        value_recorded,
        "value_and_gradient() returns both with their history, not detached: it is called inside a function that is differentiated",
    ),
    (
        frozenset({Capability.TAPE, Capability.RETAINING}),
        "a second pass that is not refused has its gradient",
        passed_again,
        "backward() without `retain` cuts nothing itself: the engine frees its graph, and then refuses a second pass, or keeps it",
    ),
    (
        frozenset({Capability.TAPE, Capability.NO_GRAD}),
        "a no_grad scope within another ends alone",
        scope_in_scope,
        "no_grad() is the engine's own scope, or restores what it found when it was entered, not what is usual",
    ),
)


def claims_of(backend: Backend) -> Iterator[Claim]:
    """The claims about what an adapter declares: each, the function that tries it, and a hint."""
    for needs, claim, try_it, hint in CLAIMS:
        of_tape = Capability.TAPE not in needs or isinstance(backend, TapeBackend)
        if needs - {Capability.TAPE} <= backend.capabilities and of_tape:
            yield claim, try_it, hint
