"""The engine's own loop as long as a condition holds (C11)."""

from __future__ import annotations

from typing import Any

import numpy as np

from conformance.backend import Backend, Capability, Function
from conformance.case import Array
from conformance.checks.c_modes.flow.recurrence import hold_pulled
from conformance.checks.comparison import hold_equal
from conformance.checks.engine_calls import answer_or_refusal, full_sum, hold_refusal, is_above
from conformance.checks.observation import plain
from conformance.checks.registry import contract, declared_convention
from conformance.checks.sample import Sample
from conformance.dtype import finfo
from conformance.ops.names import MULTIPLY

BOUND = 2.0**-6  # of a sum of squares, above which the loop goes on


def _shrinking(engine: Backend) -> Function:
    """x times w as long as it is large."""
    multiply, total = engine.op(MULTIPLY), full_sum(engine)

    def function(x: Any, w: Any) -> Any:
        is_large = lambda a: is_above(engine, total(multiply(a, a)), BOUND)  # noqa: E731
        return engine.while_loop(is_large, lambda a: multiply(a, w), x)

    return function


def _rounds(x: Array, factor: float) -> int:
    rounds, size = 0, np.square(x).sum()
    while size > BOUND:
        rounds, size = rounds + 1, size * factor**2
    return rounds


def _drawn(sample: Sample) -> list[tuple[Array, Array, int]]:
    """Operands for loops of several numbers of steps, none among them, and more than 40 but in float16."""
    drawn = []
    large = 2.0 ** min(40, finfo(sample.dtype).maxexp // 2 - 4)  # whose square the type still has
    for factor, scale in ((0.5, 1.0), (0.25, 1.0), (0.5, 2.0**-10), (0.5, large)):
        x, w = sample.array() * sample.scalar(scale), np.full(sample.shape, factor, sample.dtype)
        drawn.append((x, w, _rounds(x, factor)))
    return drawn


def hold_or_refused(
    engine: Backend, function: Function, operands: Any, given: Any, expected: Any, what: str
) -> None:
    """Claim the gradients of such a loop, or that they are refused, as declared."""
    convention = declared_convention(engine, "C11")
    pulled, raised = answer_or_refusal(
        lambda: engine.vjp(function, [np.array(x) for x in operands], [np.array(g) for g in given])[1]
    )
    hold_refusal(convention, pulled, f"the gradient of {what}", raised)
    if pulled is not None:
        hold_pulled(engine, pulled, expected, what)


@contract("C11", "while", Capability.LOOPS)
def loop_goes_on_while_its_condition_holds(engine: Backend, sample: Sample) -> None:
    """A loop whose number of steps depends on values has the value, and the gradients or the refusal, of so many steps."""
    function = _shrinking(engine)
    for x, w, rounds in _drawn(sample):
        g, what = sample.array(), f"x w in a loop of {rounds} steps, while it is large"
        (value,) = engine.forward(function, [np.array(x), np.array(w)])
        hold_equal(plain(engine, value), x * w**rounds, what)
        slopes = (w**rounds, rounds * x * w ** max(rounds - 1, 0))
        expected = [g * slope for slope in slopes]
        hold_or_refused(engine, function, [x, w], [g], expected, what)


@contract("C11", "while-forward", Capability.LOOPS, Capability.FORWARD)
def tangents_go_through_a_loop_while_its_condition_holds(engine: Backend, sample: Sample) -> None:
    """The tangent of a loop whose number of steps depends on values is that of so many steps, along its carry and what it captures."""
    function = _shrinking(engine)
    for x, w, rounds in _drawn(sample):
        s, t = sample.array(), sample.array()
        outputs, pushed = engine.jvp(function, [np.array(x), np.array(w)], [np.array(s), np.array(t)])
        what = f"x w in a loop of {rounds} steps, while it is large"
        hold_equal(plain(engine, outputs[0]), x * w**rounds, f"the value of {what}")
        expected = s * w**rounds + t * rounds * x * w ** max(rounds - 1, 0)
        hold_equal(plain(engine, pushed[0]), expected, f"the tangent of {what}")


@contract("C11", "while-mapped", Capability.LOOPS, Capability.VECTORIZING)
def mapped_loop_ends_for_each_row_by_its_own_condition(engine: Backend, sample: Sample) -> None:
    """A function with a loop that goes on while a condition holds, mapped over rows, has for each row as many steps as the row needs."""
    function, w = _shrinking(engine), np.full((2,), 0.5, sample.dtype)
    x = np.sign(sample.array((4, 2))) * np.array([[1.0], [0.0], [2.0**3], [2.0**-4]], sample.dtype)
    rounds = [_rounds(row, 0.5) for row in x]
    mapped = engine.vectorized(lambda row: function(row, engine.array(np.array(w))))
    (value,) = engine.forward(mapped, [np.array(x)])
    expected = np.stack([row * w**count for row, count in zip(x, rounds, strict=True)])
    what = f"x w in a loop while it is large, of {', '.join(map(str, rounds))} steps for the rows of x"
    hold_equal(plain(engine, value), expected, what)


@contract("C11", "while-carries", Capability.LOOPS)
def carry_of_a_while_loop_may_be_several_arrays(engine: Backend, sample: Sample) -> None:
    """Where the carry of a loop that goes on while a condition holds is two arrays, the condition sees both, and each is the step's own."""
    multiply, total = engine.op(MULTIPLY), full_sum(engine)

    def function(x: Any, w: Any) -> tuple[Any, ...]:
        half = engine.array(np.full(sample.shape, 0.5, sample.dtype))
        is_large = lambda s: is_above(engine, total(multiply(s[1], s[1])), BOUND)  # noqa: E731
        return tuple(engine.while_loop(is_large, lambda s: (multiply(s[0], w), multiply(s[1], half)), (x, x)))

    x, g, h = sample.array(), sample.array(), sample.array()
    w = np.sign(sample.array()) * sample.scalar(0.5)
    rounds = _rounds(x, 0.5)
    what = f"(x w, x / 2) in a loop of {rounds} steps, while the second is large"
    first, second = engine.forward(function, [np.array(x), np.array(w)])
    hold_equal(plain(engine, first), x * w**rounds, f"the first of {what}")
    hold_equal(plain(engine, second), x * sample.scalar(0.5**rounds), f"the second of {what}")
    expected = (
        g * w**rounds + h * sample.scalar(0.5**rounds),
        g * rounds * x * w ** max(rounds - 1, 0),
    )
    hold_or_refused(engine, function, [x, w], [g, h], expected, what)
