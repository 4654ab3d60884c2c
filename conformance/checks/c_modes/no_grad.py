"""Scopes in which nothing is recorded (C1)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from conformance.backend import Backend, Capability
from conformance.checks.b_graph.history_runner import in_other_thread
from conformance.checks.comparison import hold_equal
from conformance.checks.engine_calls import IntentionalError, gradients_of
from conformance.checks.registry import contract
from conformance.checks.sample import Sample
from conformance.errors import Violation
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
    other = engine.trace(lambda a: multiply(a, a), [np.array(x)])

    def partly(a: Any) -> Any:
        with engine.no_grad():
            other.pull([engine.array(np.array(g))])
            first = multiply(a, a)
            try:
                with engine.no_grad():
                    raise IntentionalError
            except IntentionalError:
                second = multiply(a, a)
        return multiply(multiply(first, second), a)

    (got,) = gradients_of(engine, partly, [x], g)
    hold_equal(got, g * x**4, "the gradient of (x * x) * (x * x) * x, only the last factor recorded")


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
        raise Violation(f"no gradient could be computed {when}: {error}") from error
    return got, 2 * g * x
