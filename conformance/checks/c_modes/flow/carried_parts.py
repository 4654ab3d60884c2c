"""Loops in which a part of the carry is overwritten at every step and read at none, or read at every step and handed on (C11)."""

from __future__ import annotations

from typing import Any

import numpy as np

from conformance.backend import Backend, Capability, Function
from conformance.case import Array
from conformance.checks.c_modes.flow.recurrence import STEPS, hold_gradients, hold_values
from conformance.checks.c_modes.flow.while_loops import BOUND, hold_or_refused
from conformance.checks.engine_calls import full_sum, is_above
from conformance.checks.registry import contract
from conformance.checks.sample import Sample
from conformance.ops.names import MULTIPLY


def _halved(engine: Backend, sample: Sample, carry: tuple[Any, ...], others: Function) -> tuple[Any, ...]:
    """The last carry of a loop that halves the first array of it while that is large; `others` makes the rest anew."""
    multiply, total = engine.op(MULTIPLY), full_sum(engine)
    half = engine.array(np.full(sample.shape, 0.5, sample.dtype))
    is_large = lambda s: is_above(engine, total(multiply(s[0], s[0])), BOUND)  # noqa: E731
    return tuple(engine.while_loop(is_large, lambda s: (multiply(s[0], half), *others(*s)), carry))


def _rounds(n: Array) -> int:
    """How many steps that loop has."""
    rounds, size = 0, np.square(n).sum()
    while size > BOUND:
        rounds, size = rounds + 1, size / 4
    return rounds


@contract("C11", "while-overwritten", Capability.LOOPS)
def while_loop_forgets_what_it_overwrites(engine: Backend, sample: Sample) -> None:
    """In a loop that goes on while a condition holds, the first value of a carry that each step overwrites without reading it has a gradient of zeros or none, and of what is captured only the last step counts."""
    multiply = engine.op(MULTIPLY)

    def function(n: Any, x: Any, w: Any) -> tuple[Any, ...]:
        return _halved(engine, sample, (n, x), lambda n, x: (multiply(n, w),))

    for scale in (1.0, 2.0**-10):  # several steps, and none
        n, x, w, g, h = (sample.array() for _ in range(5))
        n = n * sample.scalar(scale)
        rounds = _rounds(n)
        before = n / 2 ** max(rounds - 1, 0)  # what the last step read
        last = before * w if rounds else x
        what = f"(n / 2, n w) in a loop of {rounds} steps, while n is large"
        values = engine.forward(function, [np.array(a) for a in (n, x, w)])
        hold_values(engine, values, [n / 2**rounds, last], what)
        of_n = g / 2**rounds + (h * w / 2 ** (rounds - 1) if rounds else 0)
        expected = (of_n, 0 * h, h * before) if rounds else (of_n, h, 0 * h)
        hold_or_refused(engine, function, [n, x, w], [g, h], expected, what)


@contract("C11", "loop-overwritten", Capability.LOOPS)
def loop_forgets_what_it_overwrites(engine: Backend, sample: Sample) -> None:
    """In a loop over items, the first value of a carry that each step overwrites without reading it has a gradient of zeros or none, and of what is captured only the last step counts."""
    multiply = engine.op(MULTIPLY)

    def function(n: Any, x: Any, rows: Any, w: Any) -> tuple[Any, ...]:
        step = lambda s, row: ((multiply(s[0], row), multiply(s[0], w)), s[0])  # noqa: E731
        return tuple(engine.scan(step, (n, x), rows)[0])

    for count in (1, STEPS):
        n, x, w, g, h = (sample.array() for _ in range(5))
        rows = sample.array((count, *sample.shape))
        ahead = rows[:-1].prod(axis=0)  # by what the last step reads n
        of_rows = np.stack([n * np.delete(rows, i, axis=0).prod(axis=0) * g for i in range(count)])
        for i in range(count - 1):
            of_rows[i] += n * np.delete(rows[:-1], i, axis=0).prod(axis=0) * w * h
        what = f"(n row, n w) in a loop of {count} steps"
        operands = [n, x, rows, w]
        values = engine.forward(function, [np.array(a) for a in operands])
        hold_values(engine, values, [n * ahead * rows[-1], n * ahead * w], what)
        expected = (ahead * (rows[-1] * g + w * h), 0 * h, of_rows, n * ahead * h)
        hold_gradients(engine, function, operands, [g, h], expected, what)


@contract("C11", "while-kept", Capability.LOOPS)
def while_loop_sums_over_what_it_hands_on(engine: Backend, sample: Sample) -> None:
    """In a loop that goes on while a condition holds, a carry that each step reads and hands on unchanged has the gradient of all steps, and its own cotangent."""
    multiply = engine.op(MULTIPLY)

    def function(n: Any, x: Any, w: Any) -> tuple[Any, ...]:
        return _halved(engine, sample, (n, x, w), lambda n, x, w: (multiply(x, w), w))

    for scale in (1.0, 2.0**-10):  # several steps, and none
        n, x, w, f, g, h = (sample.array() for _ in range(6))
        n = n * sample.scalar(scale)
        rounds = _rounds(n)
        what = f"(n / 2, x w, w) in a loop of {rounds} steps, while n is large"
        values = engine.forward(function, [np.array(a) for a in (n, x, w)])
        hold_values(engine, values, [n / 2**rounds, x * w**rounds, w], what)
        of_w = h + (rounds * x * w ** (rounds - 1) * g if rounds else 0)
        expected = (f / 2**rounds, w**rounds * g, of_w)
        hold_or_refused(engine, function, [n, x, w], [f, g, h], expected, what)


@contract("C11", "loop-kept", Capability.LOOPS)
def loop_sums_over_what_it_hands_on(engine: Backend, sample: Sample) -> None:
    """In a loop over items, a carry that each step reads and hands on unchanged has the gradient of all steps, and its own cotangent."""
    multiply = engine.op(MULTIPLY)

    def function(x: Any, w: Any, rows: Any) -> tuple[Any, ...]:
        step = lambda s, row: ((multiply(s[0], s[1]), s[1]), multiply(s[0], row))  # noqa: E731
        carry, outputs = engine.scan(step, (x, w), rows)
        return (*carry, outputs)

    for count in (1, STEPS):
        x, w, g, h = (sample.array() for _ in range(4))
        rows, u = (sample.array((count, *sample.shape)) for _ in range(2))
        powers = np.stack([w**i for i in range(count)])
        slopes = np.stack([i * w ** max(i - 1, 0) for i in range(count)])
        what = f"(x w, w) and x row in a loop of {count} steps"
        operands = [x, w, rows]
        values = engine.forward(function, [np.array(a) for a in operands])
        hold_values(engine, values, [x * w**count, w, x * powers * rows], what)
        of_x = w**count * g + (powers * rows * u).sum(axis=0)
        of_w = count * x * w ** (count - 1) * g + h + (x * slopes * rows * u).sum(axis=0)
        hold_gradients(engine, function, operands, [g, h, u], (of_x, of_w, x * powers * u), what)
