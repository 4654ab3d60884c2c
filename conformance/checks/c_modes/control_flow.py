"""Control flow that depends on values (C7)."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from conformance.backend import Backend, Capability, Function, TapeBackend
from conformance.case import Array
from conformance.checks.comparison import hold_equal
from conformance.checks.engine_calls import (
    answer_or_refusal,
    full_sum,
    gradients_of,
    hold_refusal,
    is_above,
    unless_refused,
)
from conformance.checks.observation import plain
from conformance.checks.registry import contract, declared_convention
from conformance.checks.sample import Sample
from conformance.errors import Unsupported, Violation
from conformance.ops.names import ADD, GETITEM, GREATER, MULTIPLY, PERMUTE_DIMS, SUM


@contract("C7", "branch")
def branch_on_a_value_has_the_gradient_of_the_branch_taken(engine: Backend, sample: Sample) -> None:
    """Where a function branches on a value, the gradient is that of the branch taken, at every call."""
    x = np.abs(sample.array())
    function = _branching(engine)
    for operand in (x, -x, x):
        slope = 2 * operand if operand.sum() > 0 else np.full_like(x, 3.0)
        _hold_gradients(engine, sample, function, [operand], [slope], "x * x if sum(x) > 0 else 3 * x")


def _branching(engine: Backend) -> Function:
    add, multiply, total = engine.op(ADD), engine.op(MULTIPLY), full_sum(engine)

    def function(a: Any) -> Any:
        if is_above(engine, total(a), 0):
            return multiply(a, a)
        return add(add(a, a), a)

    return function


@contract("C7", "read-inside")
def what_is_read_inside_keeps_its_history(engine: Backend, sample: Sample) -> None:
    """A result whose numbers are read once or several times while a function is differentiated keeps its history, where reading them is not refused."""
    multiply, total, refused = engine.op(MULTIPLY), full_sum(engine), list[Exception]()

    def read(array: Any) -> None:
        for _ in range(3):  # what the first time keeps may be taken for the array the next time
            try:
                plain(engine, array)
            except Exception as refusal:
                refused.append(refusal)
                raise

    def function(a: Any, b: Any) -> Any:
        product = multiply(a, b)
        read(product)
        square = multiply(product, product)
        read(total(square))
        read(a)
        return multiply(square, a)

    def asked(call: Callable[[], list[Array]]) -> list[Array]:
        refused.clear()
        try:
            return call()
        except Exception:
            if not refused:  # by what reads: anything else is the doing of what was read before
                raise
            return unless_refused(call) or []

    x, w, g, u = (sample.array() for _ in range(4))
    expected = (3 * g * x * x * w * w, 2 * g * x**3 * w)
    given = asked(partial(gradients_of, engine, function, [x, w], g))
    for got, slope, name in zip(given, expected, "xw", strict=True) if given else ():
        hold_equal(got, slope, f"{name}'s gradient of (x w)² x, whose parts were read")
    if Capability.HIGHER_ORDER not in engine.capabilities:
        return

    def first(a: Any, b: Any) -> Any:
        return engine.nested_vjp(function, [a, b], [engine.array(np.array(u))])[0]

    given = asked(partial(gradients_of, engine, first, [x, w], g))
    expected = (6 * u * g * x * w * w, 6 * u * g * x * x * w)
    for got, slope, name in zip(given, expected, "xw", strict=True) if given else ():
        hold_equal(got, slope, f"{name}'s gradient of the gradient of (x w)² x, whose parts were read")


@contract("C7", "compared")
def what_is_compared_keeps_its_history(engine: Backend, sample: Sample) -> None:
    """A result that decides a branch, by an operator or by the numbers of the engine's comparison, and is used in it, has its gradient as if it had not been looked at."""
    multiply, total = engine.op(MULTIPLY), full_sum(engine)

    def by_operator(size: Any) -> Any:
        return is_above(engine, size, 0)

    def by_op(size: Any) -> Any:
        zero = engine.array(np.zeros((), sample.dtype))
        return plain(engine, engine.op(GREATER)(size, zero)).item()

    def function(a: Any, b: Any, is_positive: Callable[[Any], bool]) -> Any:
        size = total(multiply(a, b))
        if is_positive(size):
            return multiply(multiply(size, size), b)
        return multiply(size, b)

    g = sample.array()
    x, w = (1 + np.abs(sample.array()) % 2 for _ in range(2))  # whose sum of products is a number of few bits
    ways = (by_operator, by_op) if _shows_comparisons(engine) else (by_operator,)
    for is_positive, operand in itertools.product(ways, (x, -x)):
        size = (operand * w).sum()
        slope, value = (2 * size, size * size) if size > 0 else (1, size)
        through = slope * (g * w).sum()
        expected = [through * w, through * operand + g * value]
        what = "s² w, where s, the sum of x w, is above 0, and s w elsewhere"
        _hold(engine, partial(function, is_positive=is_positive), [operand, w], g, expected, what)


def _shows_comparisons(engine: Backend) -> bool:
    """Whether the numbers of a comparison can be read: a functional engine may refuse to show those of what it differentiates, and C7 is not about that."""
    is_declined = not isinstance(engine, TapeBackend) or engine.conventions.get("C7") == "refused"
    return GREATER in engine.ops and not is_declined


@contract("C7", "compared-results")
def results_whose_comparison_is_read_keep_their_history(engine: Backend, sample: Sample) -> None:
    """A result of broadcasting, a transposed one, a part of one and a sum keep their history where the engine's comparison of them is read."""
    if not _shows_comparisons(engine):
        raise Unsupported("the engine shows no numbers of its own comparison inside a function")
    multiply, greater = engine.op(MULTIPLY), engine.op(GREATER)
    of_parts: dict[str, Function] = {"x w": lambda product: product}
    for what, name, parameters in (
        ("(x w)ᵀ", PERMUTE_DIMS, {"axes": (1, 0)}),
        ("a part of x w", GETITEM, {"index": (slice(None, None, 2),)}),
        ("the sum of x w over rows", SUM, {"axis": 0, "keepdims": False}),
    ):
        if name in engine.ops:
            of_parts[what] = engine.call(name, parameters)
    x, w = sample.array((3,)), sample.array((4, 3))
    for what, part in of_parts.items():
        (made,) = engine.forward(lambda a, b, p=part: p(multiply(a, b)), [np.array(x), np.array(w)])
        g = sample.array(plain(engine, made).shape)

        def function(a: Any, b: Any, looks: bool, part: Function = part) -> Any:
            result = part(multiply(a, b))
            if looks:
                plain(engine, greater(result, engine.array(np.zeros((), sample.dtype))))
            return multiply(result, result)

        unread, read = (
            gradients_of(engine, partial(function, looks=looks), [x, w], g) for looks in (False, True)
        )
        for got, expected, name in zip(read, unread, "xw", strict=True):
            hold_equal(got, expected, f"{name}'s gradient of the square of {what}, which was compared with 0")


def _hold_truth(engine: Backend, sample: Sample) -> None:
    """Claim that a comparison of an array of the engine's, where it has a truth value, is as true as that of its number.

    Where every comparison is true, as without `__bool__`, a loop has no end; what a branch makes of that are numbers to show.
    """
    for larger, smaller in ((2.0, 1.0), (1.0, 2.0)):
        array = engine.array(np.array(larger, sample.dtype))
        try:
            is_true = bool(is_above(engine, array, smaller))
        except Exception:  # a refusal, which the function's own call meets again
            return
        if is_true is not (larger > smaller):
            raise Violation(
                f"bool(x > {smaller}) is {is_true}, where x is an array of the engine's that holds {larger}: "
                "a loop on it has no end"
            )


@contract("C7", "loop")
def loop_has_the_gradient_of_its_iterations(engine: Backend, sample: Sample) -> None:
    """Where a function loops while a value is large, each iteration contributes exactly once."""
    _hold_truth(engine, sample)
    function = _looping(engine)
    for factor in (0.5, 0.25):
        x, w = sample.array(), np.full(sample.shape, factor, sample.dtype)
        rounds, size = 0, np.square(x).sum()
        while size > 2.0**-6:
            rounds, size = rounds + 1, size * factor**2
        slopes = [w**rounds, rounds * x * w ** (rounds - 1)]
        _hold_gradients(engine, sample, function, [x, w], slopes, f"x * w ** {rounds}, computed in a loop")


def _looping(engine: Backend) -> Function:
    multiply, total = engine.op(MULTIPLY), full_sum(engine)

    def function(a: Any, b: Any) -> Any:
        while is_above(engine, total(multiply(a, a)), 2.0**-6):
            a = multiply(a, b)
        return a

    return function


@contract("C7", "recursion")
def recursion_has_the_gradient_of_its_calls(engine: Backend, sample: Sample) -> None:
    """Where a function calls itself until a value is small, each call contributes exactly once."""
    _hold_truth(engine, sample)
    function = _recursive(engine)
    for scale in (1.0, 4.0):
        x, w = sample.array() * sample.scalar(scale), np.full(sample.shape, 0.5, sample.dtype)
        calls, size = 0, np.square(x).sum()
        while size > 1.0:
            calls, size = calls + 1, size / 4
        powers = [w**k for k in range(calls + 1)]
        slopes = [sum(powers), sum(k * x * w ** (k - 1) for k in range(1, calls + 1)) + np.zeros_like(x)]
        _hold_gradients(engine, sample, function, [x, w], slopes, f"x + w * (x + w * ...), {calls} deep")


def _recursive(engine: Backend) -> Function:
    """x + xw + xww + ..., as long as the terms are large."""
    add, multiply, total = engine.op(ADD), engine.op(MULTIPLY), full_sum(engine)

    def function(a: Any, b: Any) -> Any:
        if is_above(engine, total(multiply(a, a)), 1.0):
            return add(a, function(multiply(a, b), b))
        return a

    return function


def _hold_gradients(
    engine: Backend, sample: Sample, function: Function, operands: list[Array], slopes: list[Any], what: str
) -> None:
    """Claim the gradients of a function of each entry by itself, by its slopes, along the path taken."""
    g = sample.array()
    _hold(engine, function, operands, g, [g * slope for slope in slopes], what)


def _hold(
    engine: Backend, function: Function, operands: list[Array], g: Array, expected: list[Array], what: str
) -> None:
    """Claim that the gradients are those of the path taken, or that the call is refused where that is declared."""
    gradients, raised = answer_or_refusal(partial(gradients_of, engine, function, operands, g))
    subject = f"{what}, whose control flow depends on a value,"
    hold_refusal(declared_convention(engine, "C7"), gradients, subject, raised)
    if gradients is not None:
        for index, (got, pulled) in enumerate(zip(gradients, expected, strict=True)):
            hold_equal(got, pulled, f"operand {index}'s gradient of {what}")
