"""What may become of a graph besides a backward pass, as a table: each way makes a function of two operands."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from conformance.backend import Backend, Capability, Function
from conformance.case import Array
from conformance.checks.engine_calls import IntentionalError, raising_op
from conformance.checks.members import custom_product_by_operand
from conformance.ops.names import MULTIPLY, NEGATIVE


@dataclass(frozen=True)
class Way:
    """One row of the table.

    Attributes:
        need: what the engine must offer, if anything.
        what: the way in words, after "a graph".
        make: from the engine and numbers of the operands' shape, the function; it may raise an IntentionalError. Called
            once: an engine may keep every op that a user defines.
        is_raising: whether it ends in an IntentionalError, whose traceback may hold what it passed through.
    """

    need: Capability | None
    what: str
    make: Callable[[Backend, Array], Function]
    is_raising: bool = False


def written(engine: Backend, x: Array) -> Function:
    """A value is written into twice: a number, and an operand."""
    multiply, negative = engine.op(MULTIPLY), engine.op(NEGATIVE)

    def function(a: Any, b: Any) -> Any:
        target = negative(a)
        engine.assign(target, (0,), engine.array(np.array(x[0])))
        engine.assign(target, (Ellipsis,), b)
        return multiply(target, b)

    return function


def written_unrecorded(engine: Backend, x: Array) -> Function:
    """A constant is written into where nothing is recorded."""
    multiply = engine.op(MULTIPLY)

    def function(a: Any, b: Any) -> Any:
        constant = engine.array(np.array(x))
        with engine.no_grad():
            engine.assign(constant, (0,), engine.array(np.array(x[0])))
        return multiply(a, b)

    return function


def unrecorded(engine: Backend, x: Array) -> Function:
    """An op is called where nothing is recorded."""
    multiply, negative = engine.op(MULTIPLY), engine.op(NEGATIVE)

    def function(a: Any, b: Any) -> Any:
        with engine.no_grad():
            negative(a)
        return multiply(a, b)

    return function


def hooked(engine: Backend, x: Array) -> Function:
    """Of two hooks one is removed."""
    multiply = engine.op(MULTIPLY)

    def function(a: Any, b: Any) -> Any:
        product = multiply(a, b)
        engine.hook(product, lambda c: None)
        engine.hook(product, lambda c: c)()
        return product

    return function


def with_failing_hook(engine: Backend, x: Array) -> Function:
    """A hook raises."""
    multiply = engine.op(MULTIPLY)

    def raising(c: Any) -> Any:
        raise IntentionalError("a hook")

    def function(a: Any, b: Any) -> Any:
        product = multiply(a, b)
        engine.hook(product, raising)
        return product

    return function


def beside_refused(engine: Backend, x: Array) -> Function:
    """An op is called on shapes that do not fit."""
    multiply = engine.op(MULTIPLY)

    def function(a: Any, b: Any) -> Any:
        misfit = engine.array(np.ones(tuple(n + 1 for n in x.shape), x.dtype))
        for first in (a, multiply(a, b)):
            with contextlib.suppress(Exception):
                multiply(first, misfit)
        return multiply(a, b)

    return function


def with_failing_rule(engine: Backend, x: Array) -> Function:
    """A custom rule raises."""
    multiply, raising = engine.op(MULTIPLY), raising_op(engine)
    return lambda a, b: raising(multiply(a, b))


def of_custom_rule(engine: Backend, x: Array) -> Function:
    """A custom rule is called twice."""
    product = engine.custom(lambda a, b: a * b, lambda g, a, b: (g * b, g * a))
    return lambda a, b: product(product(a, b), b)


def of_detached(engine: Backend, x: Array) -> Function:
    """A value is detached."""
    multiply, negative = engine.op(MULTIPLY), engine.op(NEGATIVE)
    return lambda a, b: multiply(a, engine.detach(negative(b)))


def of_gradient(engine: Backend, x: Array) -> Function:
    """A gradient is computed as the function's value."""
    multiply = engine.op(MULTIPLY)
    return lambda a, b: engine.nested_vjp(multiply, [a, b], [engine.array(np.array(x))])[0]


WAYS = (
    Way(None, "beside a call that was refused", beside_refused),
    Way(Capability.RECORDED_WRITES, "into whose results is written", written),
    Way(Capability.RECORDED_WRITES, "beside a write in a no_grad scope", written_unrecorded),
    Way(Capability.NO_GRAD, "beside a no_grad scope", unrecorded),
    Way(Capability.HOOKS, "with hooks, one of them removed", hooked),
    Way(Capability.HOOKS, "whose hook raises", with_failing_hook, is_raising=True),
    Way(Capability.CUSTOM_RULE, "whose rule raises", with_failing_rule, is_raising=True),
    Way(Capability.CUSTOM_RULE, "of a custom rule", of_custom_rule),
    Way(Capability.NEEDED_OPERANDS, "of a custom rule of each operand", lambda engine, x: custom_product_by_operand(engine)),
    Way(Capability.CHECKPOINTING, "of a checkpoint", lambda engine, x: engine.checkpoint(engine.op(MULTIPLY))),
    Way(Capability.DETACH, "of a detached value", of_detached),
    Way(Capability.HIGHER_ORDER, "of a gradient", of_gradient),
)  # fmt: skip
