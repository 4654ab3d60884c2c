"""Chapters A and B: what no engine may answer, and what a refusal leaves behind."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from conformance.backend import Backend, Capability, Function, TapeBackend
from conformance.case import Array
from conformance.checks.engine_calls import IntentionalError, gradients_of, is_refusal, tape_of
from conformance.checks.observation import Observation, hold_equal, plain
from conformance.checks.registry import NotThisCase, contract, op_check
from conformance.checks.sample import Sample
from conformance.errors import Unsupported, Violation
from conformance.op import Op, OperandKind, Trait
from conformance.ops.names import ADD, MATMUL, MULTIPLY, NEGATIVE, SUM

# ---- calls that no engine may answer -------------------------------------------------------------------

BEYOND = 10  # an axis that no array of the catalogue has
AXES = ("axis", "axis1", "axis2", "source", "destination")


@dataclass(frozen=True)
class Invalid:
    """A call that has no meaning, and why."""

    what: str
    operands: tuple[Array, ...]
    parameters: Mapping[str, Any]


def _candidates(op: Op, operands: tuple[Array, ...], parameters: Mapping[str, Any]) -> Iterator[Invalid]:
    """Calls near a valid one that are likely to have no meaning."""
    if not all(x.size for x in operands):
        return  # where there is nothing to compute, an engine may not look any further
    for name in AXES:
        if type(parameters.get(name)) is int:
            yield Invalid(f"{name}={BEYOND}", operands, {**parameters, name: BEYOND})
    if "shape" in parameters:
        longer = (*parameters["shape"], 7)
        yield Invalid(f"shape={longer}", operands, {**parameters, "shape": longer})
    if any(op.domain(i).kind is OperandKind.INDEX for i in range(len(operands))):
        return  # engines that gather differ in which sizes fit together
    if Trait.ELEMENTWISE in op.traits and len(operands) > 1:
        sizes = (4, *[5] * (len(operands) - 1))
        resized = tuple(np.resize(x, (n,)) for x, n in zip(operands, sizes, strict=True))
        yield Invalid(f"operands of {' and '.join(map(str, sizes))} entries", resized, parameters)
        return
    for index, operand in enumerate(operands if len(operands) > 1 else ()):
        for axis, size in enumerate(operand.shape):
            if size > 1:  # a size of 1 may broadcast, here or elsewhere
                more = np.take(operand, [*range(size), 0], axis=axis)
                changed = (*operands[:index], more, *operands[index + 1 :])
                yield Invalid(f"operand {index} of shape {more.shape}", changed, parameters)


def invalid_calls(op: Op, operands: tuple[Array, ...], parameters: Mapping[str, Any]) -> Iterator[Invalid]:
    """Those of the candidates that the reference itself refuses."""
    for call in _candidates(op, operands, parameters):
        try:
            op.reference(*(np.array(x) for x in call.operands), **call.parameters)
        except Exception:  # NumPy's refusals are of many types
            yield call


def _can_be_called_wrongly(op: Op) -> bool:
    return Trait.ELEMENTWISE not in op.traits or len(op.domains) > 1


@op_check("A22", "invalid-call", applies=_can_be_called_wrongly, once_per_signature=True)
def invalid_calls_are_refused(seen: Observation) -> None:
    """A call that has no meaning is is_refusal, and the gradient asked next is right."""
    calls = list(invalid_calls(seen.op, seen.case.operands, seen.case.parameters))
    if not calls:
        raise NotThisCase("no call near this one is without a meaning")
    for call in calls:
        function = seen.backend.call(seen.op.name, call.parameters)
        if _is_answered(seen.backend, function, call.operands, seen.wrt):
            shapes = " ".join(str(x.shape) for x in call.operands)
            raise Violation(f"{seen.op.name} of {shapes} was answered, with {call.what}")
        _hold_working(seen.backend, Sample(0, seen.case.dtype), f"after {seen.op.name} with {call.what}")


def _is_answered(
    engine: Backend, function: Callable[..., Any], operands: Sequence[Array], wrt: Sequence[int]
) -> bool:
    """Whether a call and the gradient of it are answered; an engine may notice as late as on the way back."""
    try:
        traced = engine.trace(function, [np.array(x) for x in operands], wrt)
        values = [plain(engine, z) for z in traced.outputs]
        traced.pull([engine.array(np.ones_like(z)) for z in values])
    except Exception as error:
        if not is_refusal(error):
            raise
        return False
    return True


def _hold_working(engine: Backend, sample: Sample, when: str) -> None:
    """A gradient that is known is right."""
    x, g = sample.array(), sample.array()
    (got,) = gradients_of(engine, engine.op(NEGATIVE), [x], g)
    hold_equal(got, -g, f"the gradient of -x {when}")


# ---- rules that raise ------------------------------------------------------------------------------------


def _raising(engine: Backend) -> Callable[..., Any]:
    """An op whose rule raises."""

    def backward(g: Any, a: Any) -> Any:
        raise IntentionalError("raised inside a rule")

    return engine.custom(lambda a: a + a, backward)


@contract("B14", "exception-in-rule", Capability.CUSTOM_RULE)
def exception_in_a_rule_propagates(engine: Backend, sample: Sample) -> None:
    """An exception inside a rule reaches the caller, and the engine works afterwards."""
    x, w, g = (sample.array() for _ in range(3))
    add, multiply, raising = engine.op(ADD), engine.op(MULTIPLY), _raising(engine)
    functions: tuple[Function, ...] = (
        lambda a, b: add(raising(a), b),
        lambda a, b: multiply(b, raising(multiply(a, a))),
    )
    for function in functions:
        _hold_propagated(partial(gradients_of, engine, function, [x, w], g))
        _hold_working(engine, sample, "after an exception in a rule")
    if Capability.NO_GRAD in engine.capabilities:
        _hold_scope_unchanged(engine, sample)


def _hold_propagated(ask: Callable[[], Any]) -> None:
    """A call ends in the exception that a rule raised, or in one that names it."""
    try:
        ask()
    except Exception as error:
        if not _speaks_of(error):
            raise Violation(
                f"instead of the exception inside a rule came {type(error).__name__}: {error}"
            ) from error
        return
    raise Violation("an exception inside a rule did not reach the caller")


def _speaks_of(error: BaseException | None) -> bool:
    """Whether an exception is the deliberate one, wraps it, or quotes it."""
    while error is not None:
        if isinstance(error, IntentionalError) or "raised inside a rule" in str(error):
            return True
        error = error.__cause__ or error.__context__
    return False


def _hold_scope_unchanged(engine: Backend, sample: Sample) -> None:
    """A scope without recording in which a walk fails is still one afterwards."""
    x, g = sample.array(), sample.array()
    multiply, raising = engine.op(MULTIPLY), _raising(engine)
    failing = engine.trace(raising, [np.array(x)])

    def partly(a: Any) -> Any:
        with engine.no_grad():
            # An engine may have nothing to walk in such a scope; that it stays one is what is claimed.
            with contextlib.suppress(Exception):
                failing.pull([engine.array(np.array(g))])
            square = multiply(a, a)
        return multiply(square, a)

    (got,) = gradients_of(engine, partly, [x], g)
    hold_equal(got, g * x * x, "(x * x, not recorded) * x, a walk having failed in the scope")


@contract("B14", "gradients-unchanged", Capability.CUSTOM_RULE)
def exception_in_a_rule_leaves_earlier_gradients(engine: Backend, sample: Sample) -> None:
    """A walk that an exception ends leaves the gradients of all leaves as they were."""
    tape, (x, w, g) = tape_of(engine), (sample.array() for _ in range(3))
    add, multiply, raising = tape.op(ADD), tape.op(MULTIPLY), _raising(tape)
    functions: tuple[Function, ...] = (lambda a, b: add(raising(a), b), lambda a, b: add(b, raising(a)))
    for function in functions:
        leaves = tape.leaf(np.array(x)), tape.leaf(np.array(w))
        tape.backward(multiply(*leaves), tape.array(np.array(g)))
        output = function(*leaves)
        before = [_held(tape, leaf) for leaf in leaves]
        _hold_propagated(partial(tape.backward, output, tape.array(np.array(g))))
        for leaf, value, name in zip(leaves, before, "xw", strict=True):
            after, what = _held(tape, leaf), f"{name}'s gradient after a walk that failed"
            if (after is None) != (value is None):
                raise Violation(f"{what} is not what it was", expected=value, got=after)
            if value is not None:
                hold_equal(after, value, what)


def _held(tape: TapeBackend, leaf: Any) -> Array | None:
    """What a leaf holds, copied; None where it holds nothing."""
    held = tape.grad(leaf)
    return None if held is None else plain(tape, held)


# ---- whatever was refused ------------------------------------------------------------------------------------


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
        except Exception as error:  # whether it should have failed is for other clauses
            if not is_refusal(error):
                raise
        _hold_working(engine, sample, f"after {what}")
        if earlier is not None and isinstance(engine, TapeBackend):
            hold_equal(
                plain(engine, engine.grad(earlier[0])),
                sample.scalar(0.5),
                f"an earlier gradient after {what}",
            )


def _failing_calls(engine: Backend, sample: Sample) -> Iterator[tuple[str, Callable[[], Any]]]:
    """Calls that engines refuse, or that fail, each with what to call it."""
    x, w, g = sample.array((2, 3)), sample.array((2, 3)), sample.array((3, 2))
    add, multiply, matmul = (engine.op(name) for name in (ADD, MULTIPLY, MATMUL))
    total = engine.call(SUM, {"axis": None, "keepdims": False})
    constant = engine.array(np.array(w))

    def interrupted(a: Any) -> Any:
        multiply(a, a)
        raise IntentionalError("raised inside a function")

    yield "a gradient of a non-scalar without a cotangent", lambda: engine.gradient(multiply, [x, w])
    yield "a cotangent of another shape", lambda: gradients_of(engine, multiply, [x, w], g)
    yield "a gradient of integers", lambda: engine.gradient(lambda a: total(multiply(a, a)), [np.arange(3)])
    yield "a gradient of a constant", lambda: engine.gradient(lambda a: total(constant), [x])
    yield "a sum of shapes that do not fit", lambda: gradients_of(engine, add, [x, g], x)
    yield "a product of matrices that do not fit", lambda: gradients_of(engine, matmul, [x, w], x)
    yield "a function that raises", lambda: gradients_of(engine, interrupted, [x], x)
    if Capability.CUSTOM_RULE in engine.capabilities:
        raising, short = _raising(engine), engine.custom(lambda a, b: a + b, lambda g, a, b: (g,))
        yield "a rule that raises", lambda: gradients_of(engine, raising, [x], x)
        yield "a rule that answers too little", lambda: gradients_of(engine, short, [x, w], x)
