"""Exceptions: raised inside a rule (B14), raised by any failed or refused call (B18)."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from functools import partial
from itertools import product
from typing import Any

import numpy as np

from conformance.backend import Backend, Capability, Function, TapeBackend
from conformance.case import Array
from conformance.checks.b_graph.stored_gradients import hold_as_before
from conformance.checks.comparison import hold_equal
from conformance.checks.engine_calls import (
    IntentionalError,
    full_sum,
    gradients_of,
    hold_working,
    is_intentional,
    is_refusal,
    is_refused,
    raising_op,
    tape_of,
)
from conformance.checks.observation import plain, stored
from conformance.checks.registry import NotThisCase, contract
from conformance.checks.sample import Sample
from conformance.errors import Unsupported, Violation, error_text
from conformance.ops.names import ADD, MATMUL, MULTIPLY, NEGATIVE

# Exceptions that are caught for what they mean: of iterators, look-ups, attributes, operators, dispatch.
TYPES = (NotImplementedError, StopIteration, KeyError, AttributeError, IndexError, TypeError, ValueError)


@contract("B14", "exception-in-rule", Capability.CUSTOM_RULE)
def exception_in_a_rule_propagates(engine: Backend, sample: Sample) -> None:
    """An exception inside a rule reaches the caller, and the engine works afterwards."""
    x, w, g = (sample.array() for _ in range(3))
    add, multiply, raising = engine.op(ADD), engine.op(MULTIPLY), raising_op(engine)
    functions: tuple[Function, ...] = (
        lambda a, b: add(raising(a), b),
        lambda a, b: multiply(b, raising(multiply(a, a))),
    )
    for function in functions:
        _hold_propagated(partial(gradients_of, engine, function, [x, w], g))
        hold_working(engine, sample, "after an exception in a rule")
    if Capability.NO_GRAD in engine.capabilities:
        _hold_scope_unchanged(engine, sample)


@contract("B14", "of-any-type", Capability.CUSTOM_RULE)
def exception_of_any_type_reaches_the_caller(engine: Backend, sample: Sample) -> None:
    """A rule that raises an exception by which Python itself means something does not pass for one without a gradient."""
    x, g = sample.array(), sample.array()
    for raised in TYPES[sample.seed % len(TYPES) :][:1] if engine.compiles_signatures else TYPES:

        def backward(g: Any, a: Any, raised: type[Exception] = raised) -> Any:
            raise raised("a rule")

        rule = engine.custom(lambda a: a + a, backward)
        if not is_refused(partial(gradients_of, engine, rule, [x], g)):
            raise Violation(f"a {raised.__name__} inside a rule did not reach the caller")
    hold_working(engine, sample, "after exceptions in rules")


def _hold_propagated(call: Callable[[], Any]) -> None:
    """Claim that a call ends in the exception that a rule raised, or in one that was raised because of it."""
    try:
        call()
    except Exception as error:
        if not is_intentional(error):
            raise Violation(f"instead of the exception inside a rule came {error_text(error)}") from error
        return
    raise Violation("an exception inside a rule did not reach the caller")


def _hold_scope_unchanged(engine: Backend, sample: Sample) -> None:
    """Claim that a no_grad scope stays one after a backward pass fails in it."""
    x, g = sample.array(), sample.array()
    multiply, raising = engine.op(MULTIPLY), raising_op(engine)
    failing = engine.trace(raising, [np.array(x)])

    def partly(a: Any) -> Any:
        with engine.no_grad():
            # Whether backward raises in such a scope is not claimed, only that the scope goes on.
            with contextlib.suppress(Exception):
                failing.pull([engine.array(np.array(g))])
            square = multiply(a, a)
        return multiply(square, a)

    (got,) = gradients_of(engine, partly, [x], g)
    hold_equal(got, g * x * x, "(x * x, not recorded) * x, after a backward pass failed in the scope")


@contract("B14", "gradients-unchanged", Capability.CUSTOM_RULE)
def exception_in_a_rule_leaves_earlier_gradients(engine: Backend, sample: Sample) -> None:
    """A backward pass that an exception ends leaves the gradients of all leaves as they were."""
    tape, (x, w, g) = tape_of(engine), (sample.array() for _ in range(3))
    add, multiply, raising = tape.op(ADD), tape.op(MULTIPLY), raising_op(tape)
    for is_newer, is_second in product((False, True), repeat=2):
        first = tape.leaf(np.array(x))
        tape.backward(multiply(first, tape.array(np.array(w))), tape.array(np.array(g)))
        if is_newer:  # than what raises, so that it may be reached before
            failing, second = raising(first), tape.leaf(np.array(w))
        else:
            second = tape.leaf(np.array(w))
            tape.backward(multiply(second, tape.array(np.array(x))), tape.array(np.array(g)))
            failing = raising(first)
        leaves = first, second
        output = add(second, failing) if is_second else add(failing, second)
        before = [stored(tape, leaf) for leaf in leaves]
        _hold_propagated(partial(tape.backward, output, tape.array(np.array(g))))
        for leaf, value, name in zip(leaves, before, "xw", strict=True):
            hold_as_before(tape, leaf, value, f"{name}'s gradient after a backward pass that failed")


# ---- after refusals --------------------------------------------------------------------------------


@contract("B18", "after-refusals")
def engine_works_after_every_refusal(engine: Backend, sample: Sample) -> None:
    """After a call that was refused or failed the next gradient is right, and earlier ones are unchanged."""
    earlier = None
    if isinstance(engine, TapeBackend):
        earlier = engine.leaf(sample.scalar(3.0)), engine.leaf(sample.scalar(0.5))
        engine.backward(engine.op(MULTIPLY)(*earlier))
    for what, call in _failing_calls(engine, sample):
        try:
            call()
        except Unsupported:
            continue  # the engine has no such call
        except Exception as error:  # other clauses check whether it should have failed
            if not is_refusal(error):
                raise
        hold_working(engine, sample, f"after {what}")
        if earlier is not None and isinstance(engine, TapeBackend):
            hold_equal(
                plain(engine, engine.grad(earlier[0])),
                sample.scalar(0.5),
                f"an earlier gradient after {what}",
            )


@contract("B18", "after-refused-pass", Capability.TAPE)
def output_whose_pass_was_refused_is_passed_through_again(engine: Backend, sample: Sample) -> None:
    """After a backward pass that was refused for its gradient argument, the right one from the same output gives the gradients, or is refused too."""
    tape, multiply, negative = tape_of(engine), engine.op(MULTIPLY), engine.op(NEGATIVE)
    misfits = {"without an argument": None, "with an argument of another shape": sample.array((4, 5))}
    decided = 0
    for what, misfit in misfits.items():
        x, w, g = (sample.array((2, 3)) for _ in range(3))
        first, second = tape.leaf(np.array(x)), tape.leaf(np.array(w))
        output = multiply(negative(first), second)
        if not is_refused(partial(_pass, tape, output, misfit)):
            continue  # other clauses check whether it should have been
        if is_refused(partial(_pass, tape, output, g)):
            continue  # the graph went with the first
        decided += 1
        for leaf, right, name in ((first, -g * w, "x"), (second, -g * x, "w")):
            got = None if (found := tape.grad(leaf)) is None else plain(tape, found)
            hold_equal(got, right, f"the gradient of {name} of -x w after a pass {what} was refused")
    if not decided:
        raise NotThisCase("the engine refuses no such pass, or every pass after one")


def _pass(tape: TapeBackend, output: Any, gradient: Array | None) -> None:
    tape.backward(output, None if gradient is None else tape.array(np.array(gradient)))


def _failing_calls(engine: Backend, sample: Sample) -> Iterator[tuple[str, Callable[[], Any]]]:
    """Calls that engines refuse, or that fail, each with a name."""
    x, w, g = sample.array((2, 3)), sample.array((2, 3)), sample.array((3, 2))
    add, multiply, matmul = (engine.op(name) for name in (ADD, MULTIPLY, MATMUL))
    total = full_sum(engine)
    constant = engine.array(np.array(w))

    def interrupted(a: Any) -> Any:
        multiply(a, a)
        raise IntentionalError("a function")

    yield "a gradient of a non-scalar without a cotangent", lambda: engine.gradient(multiply, [x, w])
    yield "a cotangent of another shape", lambda: gradients_of(engine, multiply, [x, w], g)
    yield "a gradient of integers", lambda: engine.gradient(lambda a: total(multiply(a, a)), [np.arange(3)])
    yield "a gradient of a constant", lambda: engine.gradient(lambda a: total(constant), [x])
    yield "a sum of shapes that do not fit", lambda: gradients_of(engine, add, [x, g], x)
    yield "a product of matrices that do not fit", lambda: gradients_of(engine, matmul, [x, w], x)
    yield "a function that raises", lambda: gradients_of(engine, interrupted, [x], x)
    if Capability.CUSTOM_RULE in engine.capabilities:
        raising, short = raising_op(engine), engine.custom(lambda a, b: a + b, lambda g, a, b: (g,))
        yield "a rule that raises", lambda: gradients_of(engine, raising, [x], x)
        yield "a rule that returns too few cotangents", lambda: gradients_of(engine, short, [x, w], x)
