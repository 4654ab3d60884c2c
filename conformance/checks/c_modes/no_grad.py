"""Scopes in which nothing is recorded (C1)."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from conformance.backend import Backend, Capability, TapeBackend
from conformance.case import Array
from conformance.checks.b_graph.history_runner import in_other_thread
from conformance.checks.comparison import hold_equal
from conformance.checks.composed import backward_for_scopes, composes_cotangents
from conformance.checks.engine_calls import (
    IntentionalError,
    gradients_of,
    hold_no_stored_gradient,
    is_refused,
    raising_op,
    tape_of,
    unless_refused,
)
from conformance.checks.observation import plain, stored
from conformance.checks.registry import NotThisCase, contract
from conformance.checks.sample import Sample
from conformance.errors import Unsupported, Violation, error_text
from conformance.ops.names import ADD, MULTIPLY


@contract("C1", "no-grad", Capability.NO_GRAD)
def no_grad_scope_records_nothing(engine: Backend, sample: Sample) -> None:
    """What is computed in a no_grad scope is a constant afterwards."""
    x, g = sample.array(), sample.array()
    multiply = engine.op(MULTIPLY)

    def partly(a: Any) -> Any:
        with engine.no_grad():
            with engine.no_grad():
                pass  # only the inner scope ends here
            square = multiply(a, a)
        return multiply(square, a)

    (got,) = gradients_of(engine, partly, [x], g)
    hold_equal(got, g * x * x, "the gradient of (x * x, not recorded) * x")


@contract("C1", "no-grad-ends", Capability.NO_GRAD)
def recording_resumes_after_the_scope(engine: Backend, sample: Sample) -> None:
    """Recording resumes after the scope: left normally, by an exception, nested, or in a generator."""
    _hold_recording(engine, sample, "at the start")
    with engine.no_grad(), engine.no_grad():
        pass
    _hold_recording(engine, sample, "after nested scopes")
    try:
        with engine.no_grad():
            raise IntentionalError
    except IntentionalError:
        _hold_recording(engine, sample, "after an exception in the scope")

    def generator() -> Any:
        with engine.no_grad():
            yield 1

    suspended = generator()
    next(suspended)
    suspended.close()
    _hold_recording(engine, sample, "after a generator was closed in the scope")


@contract("C1", "no-grad-nested", Capability.NO_GRAD)
def nested_scopes_record_nothing(engine: Backend, sample: Sample) -> None:
    """In nested scopes nothing is recorded; leaving an inner one keeps the outer ones."""
    x, g = sample.array(), sample.array()
    add, multiply = engine.op(ADD), engine.op(MULTIPLY)

    def partly(a: Any) -> Any:
        with engine.no_grad():
            with engine.no_grad():
                with engine.no_grad():
                    third = multiply(a, a)
                second = multiply(a, a)
            first = multiply(a, a)
        return multiply(add(add(first, second), third), a)

    (got,) = gradients_of(engine, partly, [x], g)
    hold_equal(
        got, 3 * g * x * x, "the gradient of (x*x + x*x + x*x) * x, each square computed in another scope"
    )


@contract("C1", "no-grad-outlasts", Capability.NO_GRAD)
def scope_outlasts_what_happens_inside_it(engine: Backend, sample: Sample) -> None:
    """A no_grad scope outlasts several ops, a backward pass, and an exception in an inner scope."""
    x, g = sample.array(), sample.array()
    multiply = engine.op(MULTIPLY)
    pull = backward_for_scopes(engine, x, g)

    def partly(a: Any) -> Any:
        with engine.no_grad():
            pull()
            first = multiply(a, a)
            try:
                with engine.no_grad():
                    raise IntentionalError
            except IntentionalError:
                second = multiply(a, a)
        return multiply(multiply(first, second), a)

    (got,) = gradients_of(engine, partly, [x], g)
    hold_equal(got, g * x**4, "the gradient of (x * x) * (x * x) * x, only the last factor recorded")


@contract("C1", "no-grad-outlasts-others", Capability.NO_GRAD)
def scope_outlasts_gradients_of_every_kind(engine: Backend, sample: Sample) -> None:
    """A no_grad scope outlasts gradients of every kind that are computed, or refused, inside it."""
    x, g = sample.array(), sample.array()
    multiply = engine.op(MULTIPLY)
    for what, call in _calls_inside(engine, x, g).items():

        def partly(a: Any, call: Callable[[], Any] = call) -> Any:
            with engine.no_grad():
                with contextlib.suppress(Exception):  # whether such a call is possible here is not claimed
                    call()
                square = multiply(a, a)
            return multiply(square, a)

        (got,) = gradients_of(engine, partly, [x], g)
        hold_equal(got, g * x * x, f"the gradient of (x * x, not recorded) * x, after {what} in the scope")


def _calls_inside(engine: Backend, x: Array, g: Array) -> dict[str, Callable[[], Any]]:
    """What computes gradients, in words, and the call."""
    multiply = engine.op(MULTIPLY)

    def square(a: Any) -> Any:
        return multiply(a, a)

    def nested(transform: Callable[..., Any]) -> Callable[[], Any]:
        return lambda: transform(square, [engine.array(np.array(x))], [engine.array(np.array(g))])

    calls: dict[Capability, tuple[str, Callable[[], Any]]] = {
        Capability.HIGHER_ORDER: ("a gradient as a function's value", nested(engine.nested_vjp)),
        Capability.FORWARD: ("a tangent", lambda: engine.jvp(square, [np.array(x)], [np.array(g)])),
        Capability.CHECKPOINTING: (
            "a checkpoint's gradient",
            lambda: gradients_of(engine, engine.checkpoint(square), [x], g),
        ),
        Capability.CUSTOM_RULE: (
            "a custom rule's gradient",
            lambda: gradients_of(
                engine, engine.custom(lambda a: a * a, lambda g, a: (g * a + g * a,)), [x], g
            ),
        ),
    }
    offered = {what: call for need, (what, call) in calls.items() if need in engine.capabilities}
    if {Capability.HIGHER_ORDER, Capability.FORWARD} <= engine.capabilities:
        offered["a recorded tangent"] = nested(engine.nested_jvp)
    if {Capability.HIGHER_ORDER, Capability.CUSTOM_RULE} <= engine.capabilities:
        arrays = [engine.array(np.array(x))], [engine.array(np.array(g))]
        offered["a gradient whose rule raised"] = lambda: engine.nested_vjp(raising_op(engine), *arrays)
    return {"a gradient": lambda: gradients_of(engine, square, [x], g), **offered}


@contract("C1", "no-grad-derivatives", Capability.NO_GRAD)
def derivatives_taken_in_the_scope_are_refused_or_right(engine: Backend, sample: Sample) -> None:
    """A gradient as a function's value, or a tangent, that is taken in a no_grad scope is refused, or right."""
    x, g, multiply = sample.array(), sample.array(), engine.op(MULTIPLY)

    def square(a: Any) -> Any:
        return multiply(a, a)

    derivatives: dict[Capability, tuple[str, Callable[[], Any]]] = {
        Capability.HIGHER_ORDER: (
            "gradient",
            lambda: engine.nested_vjp(square, [engine.array(np.array(x))], [engine.array(np.array(g))]),
        ),
        Capability.FORWARD: ("tangent", lambda: engine.jvp(square, [np.array(x)], [np.array(g)])[1]),
    }
    for need, (what, derivative) in derivatives.items():
        if need not in engine.capabilities:
            continue
        with engine.no_grad():
            found = unless_refused(derivative, engine)
        if found is not None:
            got = None if found[0] is None else plain(engine, found[0])
            hold_equal(got, 2 * g * x, f"the {what} of x * x, taken in a no_grad scope")


@contract("C1", "no-grad-backward", Capability.NO_GRAD)
def backward_pass_in_the_scope_has_its_gradients(engine: Backend, sample: Sample) -> None:
    """A graph that was recorded before the scope has its gradients in it, unless they are refused; a leaf stores them."""
    x, g = sample.array(), sample.array()
    multiply = engine.op(MULTIPLY)
    if composes_cotangents(engine, x.dtype.name):
        raise Unsupported(
            f"the adapter of {engine.engine} makes a gradient argument of ops, which no scope records"
        )
    traced = engine.trace(lambda a: multiply(a, a), [np.array(x)])
    with engine.no_grad():
        pulled = unless_refused(lambda: traced.pull([engine.array(np.array(g))]), engine)
    if pulled is not None:
        got = None if pulled[0] is None else plain(engine, pulled[0])
        hold_equal(got, 2 * g * x, "the gradient of x * x, pulled back in a no_grad scope")
    if isinstance(engine, TapeBackend):
        leaf = engine.leaf(np.array(x))
        output, seed = multiply(leaf, leaf), engine.array(np.array(g))
        with engine.no_grad():
            is_done = not is_refused(lambda: engine.backward(output, seed))
        got = engine.grad(leaf)
        if is_done:
            got = None if got is None else plain(engine, got)
            hold_equal(got, 2 * g * x, "the stored gradient of x * x after backward() in a no_grad scope")


@contract("C1", "no-grad-generator", Capability.NO_GRAD)
def generator_resumed_in_the_scope_records_nothing(engine: Backend, sample: Sample) -> None:
    """A generator resumed inside its scope still records nothing there, and records after it."""
    x, g = sample.array(), sample.array()
    add, multiply = engine.op(ADD), engine.op(MULTIPLY)

    def squares(a: Any) -> Iterator[Any]:
        with engine.no_grad():
            yield multiply(a, a)
            yield multiply(a, a)
        yield multiply(a, a)

    def function(a: Any) -> Any:
        first, resumed, recorded = squares(a)
        return add(multiply(add(first, resumed), a), recorded)

    (got,) = gradients_of(engine, function, [x], g)
    hold_equal(got, g * (2 * x * x + 2 * x), "the gradient of (x*x + x*x, not recorded) * x + x*x")


@contract("C1", "no-grad-leaf", Capability.NO_GRAD, Capability.TAPE)
def leaf_made_in_the_scope_is_a_leaf(engine: Backend, sample: Sample) -> None:
    """A leaf made in a no_grad scope has its gradient where it is used after it."""
    tape, multiply = tape_of(engine), engine.op(MULTIPLY)
    x, w, g = (sample.array() for _ in range(3))
    with tape.no_grad():
        leaf = tape.leaf(np.array(x))
        constant = tape.array(np.array(w))
    tape.backward(multiply(multiply(leaf, leaf), constant), tape.array(np.array(g)))
    hold_equal(stored(tape, leaf), 2 * g * x * w, "the gradient of x * x * w, the leaf x made in the scope")
    hold_no_stored_gradient(tape, constant, "a constant made in a no_grad scope")


@contract("C1", "leaf-written", Capability.NO_GRAD, Capability.RECORDED_WRITES, Capability.TAPE)
def leaf_written_in_the_scope_stays_a_leaf(engine: Backend, sample: Sample) -> None:
    """A leaf that is written in a no_grad scope, unless that is refused, stays a leaf: its gradient is that at the new values."""
    tape, multiply = tape_of(engine), engine.op(MULTIPLY)
    written = 0
    for what, index in (("a row", (0,)), ("an entry", (1, 1)), ("all entries", (Ellipsis,))):
        x, g = sample.array((3, 2)), sample.array((3, 2))
        w, leaf = sample.array(x[index].shape), tape.leaf(np.array(x))

        def write(leaf: Any = leaf, index: Any = index, w: Array = w) -> None:
            with tape.no_grad():
                tape.assign(leaf, index, tape.array(np.array(w)))

        if is_refused(write):
            continue
        written += 1
        x[index] = w
        hold_equal(plain(tape, leaf), x, f"a leaf of which {what} was written in a no_grad scope")
        tape.backward(multiply(leaf, leaf), tape.array(np.array(g)))
        got = tape.grad(leaf)
        hold_equal(
            None if got is None else plain(tape, got),
            2 * g * x,
            f"the gradient of x * x, {what} of the leaf x written in a no_grad scope",
        )
    if not written:
        raise NotThisCase("the engine refuses to write a leaf in a no_grad scope")


@contract("C1", "no-grad-thread", Capability.NO_GRAD)
def no_grad_scope_belongs_to_its_thread(engine: Backend, sample: Sample) -> None:
    """A scope in one thread does not stop another thread from recording."""
    with engine.no_grad():
        got, expected = in_other_thread(lambda: _recorded(engine, sample, "in another thread"))
    hold_equal(got, expected, "the gradient of x * x in another thread")


def _hold_recording(engine: Backend, sample: Sample, when: str) -> None:
    """Claim that the engine records: x * x has its gradient."""
    hold_equal(*_recorded(engine, sample, when), f"the gradient of x * x {when}")


def _recorded(engine: Backend, sample: Sample, when: str) -> tuple[Any, Any]:
    """The gradient of x * x, and what it must be; a Violation where the engine has none."""
    x, g = sample.array(), sample.array()
    multiply = engine.op(MULTIPLY)
    try:
        (got,) = gradients_of(engine, lambda a: multiply(a, a), [x], g)
    except Exception as error:
        raise Violation(f"no gradient could be computed {when}: {error_text(error)}") from error
    return got, 2 * g * x
