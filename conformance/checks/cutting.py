"""Chapter C: where recording stops, and rules written by hand."""

from __future__ import annotations

import threading
from typing import Any

import numpy as np

from conformance.backend import Backend, Capability
from conformance.checks.observation import hold_equal, plain
from conformance.checks.registry import contract
from conformance.checks.sample import Sample
from conformance.checks.seeding import gradients_of, is_refused
from conformance.errors import Violation


class _Deliberate(Exception):
    """Raised on purpose inside a scope."""


@contract("C1", "no-grad", Capability.NO_GRAD)
def no_grad_scope_records_nothing(engine: Backend, sample: Sample) -> None:
    """What is computed in a scope without recording is a constant afterwards."""
    x, g = sample.array(), sample.array()
    multiply = engine.op("multiply")

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
            raise _Deliberate
    except _Deliberate:
        _hold_recording(engine, sample, "after an exception in the scope")

    def generator() -> Any:
        with engine.no_grad():
            yield 1

    suspended = generator()
    next(suspended)
    suspended.close()
    _hold_recording(engine, sample, "after a generator was closed in the scope")


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
    multiply = engine.op("multiply")
    try:
        (got,) = gradients_of(engine, lambda a: multiply(a, a), [x], g)
    except Exception as error:
        raise Violation(f"no gradient could be asked {when}: {error}") from error
    hold_equal(got, 2 * g * x, f"the gradient of x * x {when}")


@contract("C2", "detach", Capability.DETACH)
def detached_value_is_a_constant(engine: Backend, sample: Sample) -> None:
    """A detached value is the same value, and nothing flows back through it."""
    x, w, g = (sample.array() for _ in range(3))
    add, multiply = engine.op("add"), engine.op("multiply")

    def cut(a: Any, b: Any) -> Any:
        product = multiply(a, b)
        return add(multiply(engine.detach(product), a), product)

    outputs, gradients = engine.vjp(cut, [np.array(x), np.array(w)], [np.array(g)])
    hold_equal(plain(engine, outputs[0]), x * w * x + x * w, "the value with a detached factor")
    hold_equal(plain(engine, gradients[0]), g * x * w + g * w, "x's gradient of detach(x * w) * x + x * w")
    hold_equal(plain(engine, gradients[1]), g * x, "w's gradient of detach(x * w) * x + x * w")


@contract("C4", "constants")
def operand_without_gradient_changes_no_other(engine: Backend, sample: Sample) -> None:
    """An operand that needs no gradient gets none, and the others' gradients are the same."""
    x, w, g = (sample.array() for _ in range(3))
    multiply, operands = engine.op("multiply"), [x, w]
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


def _product_rule(calls: list[Any]) -> Any:
    def backward(g: Any, a: Any, b: Any) -> Any:
        calls.append(g)
        return g * b, g * a

    return backward


@contract("C5", "custom-rule", Capability.CUSTOM_RULE)
def custom_rule_is_called_once_per_use(engine: Backend, sample: Sample) -> None:
    """A rule written by hand is called once per use, with that use's cotangent."""
    x, w, g = (sample.array() for _ in range(3))
    calls: list[Any] = []
    product = engine.custom(lambda a, b: a * b, _product_rule(calls))
    multiply = engine.op("multiply")
    got = gradients_of(engine, lambda a, b: multiply(product(product(a, b), b), a), [x, w], g)
    hold_equal(got[0], g * 2 * x * w * w, "x's gradient of x*w*w*x through a rule written by hand")
    hold_equal(got[1], g * 2 * x * w * x, "w's gradient of x*w*w*x through a rule written by hand")
    if len(calls) != 2:
        raise Violation(f"a rule used twice was called {len(calls)} times")


@contract("C5", "custom-none", Capability.CUSTOM_RULE)
def none_from_a_custom_rule_means_zero(engine: Backend, sample: Sample) -> None:
    """None from a rule written by hand means zero."""
    x, w, g = (sample.array() for _ in range(3))
    add = engine.op("add")
    first = engine.custom(lambda a, b: a + b * 0, lambda g, a, b: (g, None))
    got = gradients_of(engine, lambda a, b: add(first(a, b), b), [x, w], g)
    hold_equal(got[0], g, "the gradient the rule gave")
    hold_equal(got[1], g, "the gradient of an operand for which the rule gave None, used elsewhere")


@contract("C5", "custom-refused", Capability.CUSTOM_RULE)
def wrong_answers_of_a_custom_rule_are_refused(engine: Backend, sample: Sample) -> None:
    """A rule written by hand that answers too few, too many or misshapen cotangents is refused."""
    x, w, g = sample.array((2, 3)), sample.array((2, 3)), sample.array((2, 3))
    wrong = {
        "one cotangent for two operands": lambda g, a, b: (g,),
        "three cotangents for two operands": lambda g, a, b: (g, g, g),
        "a transposed cotangent": lambda g, a, b: (g.T, g),
    }
    for what, backward in wrong.items():
        rule = engine.custom(lambda a, b: a + b, backward)
        if not is_refused(lambda rule=rule: gradients_of(engine, rule, [x, w], g)):
            raise Violation(f"a rule written by hand gave {what}, and was not refused")
    multiply = engine.op("multiply")
    (again,) = gradients_of(engine, lambda a: multiply(a, a), [x], g)
    hold_equal(again, 2 * g * x, "a gradient asked after the refusals")
