"""Chapter C: where recording stops."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from typing import Any

import numpy as np

from conformance.backend import Backend, Capability
from conformance.checks.engine_calls import IntentionalError, gradients_of
from conformance.checks.observation import hold_equal, plain
from conformance.checks.registry import contract, declared_convention
from conformance.checks.sample import Sample
from conformance.errors import Violation
from conformance.ops.names import ADD, MULTIPLY, NEGATIVE


@contract("C1", "no-grad", Capability.NO_GRAD)
def no_grad_scope_records_nothing(engine: Backend, sample: Sample) -> None:
    """What is computed in a scope without recording is a constant afterwards."""
    x, g = sample.array(), sample.array()
    multiply = engine.op(MULTIPLY)

    def partly(a: Any) -> Any:
        with engine.no_grad():
            with engine.no_grad():
                pass  # what ends here is the inner scope
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
    """In scopes within scopes nothing is recorded; leaving an inner one keeps those around it."""
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
    hold_equal(got, 3 * g * x * x, "the gradient of (x*x + x*x + x*x) * x, each square made in another scope")


@contract("C1", "no-grad-outlasts", Capability.NO_GRAD)
def scope_outlasts_what_happens_inside_it(engine: Backend, sample: Sample) -> None:
    """A scope without recording outlasts several ops, a walk back, and an exception in an inner scope."""
    x, g = sample.array(), sample.array()
    multiply = engine.op(MULTIPLY)
    other = engine.trace(lambda a: multiply(a, a), [np.array(x)])

    def partly(a: Any) -> Any:
        with engine.no_grad():
            other.pull([engine.array(np.array(g))])
            walked = multiply(a, a)
            try:
                with engine.no_grad():
                    raise IntentionalError
            except IntentionalError:
                fallen = multiply(a, a)
        return multiply(multiply(walked, fallen), a)

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
def no_grad_scope_is_the_threads_own(engine: Backend, sample: Sample) -> None:
    """A scope in one thread does not stop another thread from recording."""
    failures: list[BaseException] = []

    def work() -> None:
        try:
            _hold_recording(engine, sample, "in another thread")
        except BaseException as error:  # whatever it is, it is raised again below
            failures.append(error)

    with engine.no_grad():
        thread = threading.Thread(target=work)
        thread.start()
        thread.join()
    if failures:
        raise failures[0]


def _hold_recording(engine: Backend, sample: Sample, when: str) -> None:
    x, g = sample.array(), sample.array()
    multiply = engine.op(MULTIPLY)
    try:
        (got,) = gradients_of(engine, lambda a: multiply(a, a), [x], g)
    except Exception as error:
        raise Violation(f"no gradient could be asked {when}: {error}") from error
    hold_equal(got, 2 * g * x, f"the gradient of x * x {when}")


@contract("C2", "detach", Capability.DETACH)
def detached_value_is_a_constant(engine: Backend, sample: Sample) -> None:
    """A detached value is the same value, and nothing flows back through it."""
    x, w, g = (sample.array() for _ in range(3))
    add, multiply = engine.op(ADD), engine.op(MULTIPLY)

    def cut(a: Any, b: Any) -> Any:
        product = multiply(a, b)
        return add(multiply(engine.detach(product), a), product)

    outputs, gradients = engine.vjp(cut, [np.array(x), np.array(w)], [np.array(g)])
    hold_equal(plain(engine, outputs[0]), x * w * x + x * w, "the value with a detached factor")
    hold_equal(plain(engine, gradients[0]), g * x * w + g * w, "x's gradient of detach(x * w) * x + x * w")
    hold_equal(plain(engine, gradients[1]), g * x, "w's gradient of detach(x * w) * x + x * w")


@contract("C2", "detach-leaf", Capability.DETACH)
def leaf_detached_once_or_twice_stays_a_leaf(engine: Backend, sample: Sample) -> None:
    """A detached leaf is a constant, detached twice too, and where it is used whole its gradient arrives."""
    x, w, g = (sample.array() for _ in range(3))
    add, multiply = engine.op(ADD), engine.op(MULTIPLY)

    def cut(a: Any, b: Any) -> Any:
        once, twice = engine.detach(a), engine.detach(engine.detach(b))
        return add(multiply(once, b), multiply(a, twice))

    got = gradients_of(engine, cut, [x, w], g)
    hold_equal(got[0], g * w, "x's gradient of detach(x) * w + x * detach(detach(w))")
    hold_equal(got[1], g * x, "w's gradient of detach(x) * w + x * detach(detach(w))")


@contract("C3", "detached-storage", Capability.DETACH, Capability.WRITABLE)
def detached_value_shares_storage_as_elected(engine: Backend, sample: Sample) -> None:
    """What is written into a detached value shows in the value it was cut from, or does not, as elected."""
    convention = declared_convention(engine, "C3")
    x = sample.array()
    made = engine.trace(engine.op(NEGATIVE), [np.array(x)])
    wholes = {"an operand": (made.arrays[0], x), "an op's output": (made.outputs[0], -x)}
    for what, (whole, value) in wholes.items():
        cut = engine.detach(whole)
        engine.memory(cut)[...] = 7.0
        hold_equal(plain(engine, cut), np.full_like(x, 7.0), f"{what} detached, and written to")
        expected = np.full_like(x, 7.0) if convention == "shares" else value
        hold_equal(
            plain(engine, whole), expected, f"{what}, its detached value written to: {convention!r} elected"
        )


@contract("C4", "constants")
def operand_without_gradient_changes_no_other(engine: Backend, sample: Sample) -> None:
    """An operand that needs no gradient gets none, and the others' gradients are the same."""
    x, w, g = (sample.array() for _ in range(3))
    multiply, operands = engine.op(MULTIPLY), [x, w]
    both = gradients_of(engine, multiply, operands, g)
    for index in range(2):
        copies = [np.array(v) for v in operands]
        traced = engine.trace(multiply, copies, [index])
        alone = traced.pull([engine.array(np.array(g))])
        if len(alone) != 1 or alone[0] is None:
            raise Violation(f"operand {index} alone got {len(alone)} gradients")
        hold_equal(plain(engine, alone[0]), both[index], f"operand {index}'s gradient, the other constant")
        grad = getattr(engine, "grad", None)
        if grad is not None and grad(traced.arrays[1 - index]) is not None:
            raise Violation(f"operand {1 - index} needs no gradient but got one")
