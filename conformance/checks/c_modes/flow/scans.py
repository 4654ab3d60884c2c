"""The engine's own loop over the items of an array: its values and gradients are those of the steps (C11)."""

from __future__ import annotations

from typing import Any

import numpy as np

from conformance.backend import Backend, Capability
from conformance.case import Array
from conformance.checks.c_modes.flow.recurrence import (
    STEPS,
    Recurrence,
    drawn,
    hold_gradients,
    hold_values,
    scanned,
    step_of,
)
from conformance.checks.comparison import hold_equal
from conformance.checks.observation import plain
from conformance.checks.registry import contract
from conformance.checks.sample import Sample
from conformance.errors import Violation
from conformance.ops.names import MULTIPLY, NEGATIVE

MANY_STEPS = 130  # beyond the blocks, of 8 to 128 steps, in which an engine may unroll or save its states


@contract("C11", "loop", Capability.LOOPS)
def loop_has_the_gradients_of_its_steps(engine: Backend, sample: Sample) -> None:
    """A loop's values, and its gradients by the first carry, the items and a captured array, are those of the steps, by cotangents of the last carry, of the outputs, of both."""
    run, loop = drawn(sample), scanned(engine)
    g, gs = sample.array(), sample.array((STEPS, *sample.shape))
    hold_values(
        engine,
        engine.forward(loop, [np.array(x) for x in run.operands]),
        [run.states[-1], run.outputs],
        "h w + x in a loop",
    )
    ways = (
        (lambda h, xs, w: loop(h, xs, w)[0], [g], run.pulled(g), "by the last carry"),
        (lambda h, xs, w: loop(h, xs, w)[1], [gs], run.pulled(0, gs), "by the outputs"),
        (loop, [g, gs], run.pulled(g, gs), "by both"),
        (loop, [g, 0 * gs], run.pulled(g), "by both, zeros for the outputs"),
        (loop, [0 * g, gs], run.pulled(0, gs), "by both, zeros for the last carry"),
    )
    for function, given, expected, how in ways:
        hold_gradients(engine, function, run.operands, given, expected, f"h w + x in a loop, {how}")


@contract("C11", "loop-lengths", Capability.LOOPS)
def loop_has_as_many_steps_as_items(engine: Backend, sample: Sample) -> None:
    """A loop has a step for each item: one of one step is the step."""
    for count in (1, 2):
        _hold_loop_of(engine, sample, count)


@contract("C11", "loop-of-nothing", Capability.LOOPS)
def loop_of_no_steps_is_its_carry(engine: Backend, sample: Sample) -> None:
    """A loop over no items returns its carry, whose gradient is the cotangent, and outputs of length zero, whose other axes are those of a step's."""
    _hold_loop_of(engine, sample, 0)
    h, w = sample.array((3,)), sample.array((3,))
    of_numbers = engine.forward(scanned(engine), [h, np.zeros((0,), sample.dtype), w])
    hold_values(engine, of_numbers, [h, np.zeros((0, 3), sample.dtype)], "a loop over no numbers")


def _hold_loop_of(engine: Backend, sample: Sample, count: int) -> None:
    run, g, loop = drawn(sample, count), sample.array(), scanned(engine)
    outputs = engine.forward(loop, [np.array(x) for x in run.operands])
    hold_values(engine, outputs, [run.states[-1], run.outputs], f"a loop of {count} steps")
    last = lambda h, xs, w: loop(h, xs, w)[0]  # noqa: E731
    hold_gradients(engine, last, run.operands, [g], run.pulled(g), f"a loop of {count} steps")


@contract("C11", "loop-of-many", Capability.LOOPS)
def loop_of_many_steps_has_the_gradients_of_all(engine: Backend, sample: Sample) -> None:
    """A loop of a hundred steps and more has the gradients of all of them, the first and the last too."""
    run, g, loop = drawn(sample, MANY_STEPS), np.sign(sample.array()), scanned(engine)
    # Nothing grows, so that every number is one of half precision, too.
    run = Recurrence(np.sign(run.start), np.zeros_like(run.items), np.sign(run.factor))
    last = lambda h, xs, w: loop(h, xs, w)[0]  # noqa: E731
    hold_gradients(engine, last, run.operands, [g], run.pulled(g), f"h w + x in a loop of {MANY_STEPS} steps")


@contract("C11", "loop-dtypes", Capability.LOOPS)
def loop_keeps_dtypes(engine: Backend, sample: Sample) -> None:
    """The last carry, the outputs and the gradients of a loop have the dtype of its operands, in every precision."""
    loop = scanned(engine)
    for dtype in engine.dtypes:
        h, xs, w, g = (np.sign(sample.array(shape)).astype(dtype) for shape in ((2,), (2, 2), (2,), (2,)))
        outputs, gradients = engine.vjp(lambda *operands: loop(*operands)[0], [h, xs, w], [g])
        last = (h * w + xs[0]) * w + xs[1]
        hold_equal(plain(engine, outputs[0]), last, f"the last carry of a loop, in {dtype}")
        for found, what in zip((*outputs, *gradients), ("last carry", *("gradient",) * 3), strict=True):
            if (got := plain(engine, found)).dtype != dtype:
                raise Violation(f"the {what} of a loop in {dtype} is of {got.dtype}")


@contract("C11", "loop-carries", Capability.LOOPS)
def carry_may_be_several_arrays(engine: Backend, sample: Sample) -> None:
    """Where the carry is several arrays, of several shapes, each is the step's own, and so is its gradient; one that is handed on has its cotangent."""
    for count in (STEPS, MANY_STEPS):
        _hold_carries(engine, sample, count)


def _hold_carries(engine: Backend, sample: Sample, count: int) -> None:
    multiply = engine.op(MULTIPLY)
    # Signs: nothing grows, in however many steps.
    a, b, c, xs = (np.sign(sample.array(s)) for s in (None, None, (2,), (count, *sample.shape)))
    given = [sample.array(x.shape) for x in (a, b, c, xs)]

    def function(*operands: Any) -> tuple[Any, ...]:
        carry, outputs = engine.scan(
            lambda s, x: ((s[1], multiply(s[0], x), s[2]), s[0]), tuple(operands[:3]), operands[3]
        )
        return (*carry, outputs)

    states = [(a, b)]
    for x in xs:
        states.append((states[-1][1], states[-1][0] * x))
    of_a, of_b, of_c, of_outputs = given
    of_items = np.zeros_like(xs)
    for n in reversed(range(count)):
        of_items[n] = of_b * states[n][0]
        of_a, of_b = of_b * xs[n] + of_outputs[n], of_a
    what = f"(b, a x, c) in a loop of {count} steps that puts out a"
    values = engine.forward(function, [np.array(x) for x in (a, b, c, xs)])
    hold_values(engine, values, [*states[-1], c, np.stack([first for first, _ in states[:-1]])], what)
    hold_gradients(engine, function, [a, b, c, xs], given, (of_a, of_b, of_c, of_items), what)


@contract("C11", "loop-unused", Capability.LOOPS)
def what_a_step_does_not_use_has_no_gradient(engine: Backend, sample: Sample) -> None:
    """Items that no step uses have a gradient of zeros or none; so has a first carry that the first step drops."""
    multiply = engine.op(MULTIPLY)
    run, g = drawn(sample), sample.array()
    h, xs, w = run.operands

    def without_items(a: Any, rows: Any, b: Any) -> Any:
        return engine.scan(lambda s, _: (multiply(s, b), s), a, rows)[0]

    powers = [w**n for n in range(STEPS + 1)]
    slopes = (powers[STEPS], np.zeros_like(xs), STEPS * h * powers[STEPS - 1])
    what = "h w in a loop over items that it does not use"
    hold_gradients(engine, without_items, run.operands, [g], [g * s for s in slopes], what)

    def without_carry(a: Any, rows: Any, b: Any) -> Any:
        return engine.scan(lambda _, x: (multiply(x, b), x), a, rows)[0]

    of_items = np.zeros_like(xs)
    of_items[-1] = g * w
    what = "x w in a loop that drops its carry"
    hold_gradients(engine, without_carry, run.operands, [g], [np.zeros_like(h), of_items, g * xs[-1]], what)


@contract("C11", "loop-rule", Capability.LOOPS, Capability.CUSTOM_RULE)
def custom_rule_in_a_loop_is_used_at_every_step(engine: Backend, sample: Sample) -> None:
    """A custom rule in a step is used for every step, once."""
    rule = engine.custom(lambda a: a + a, lambda g, a: (g + g + g,))
    multiply = engine.op(MULTIPLY)
    h, xs = sample.array(), sample.array((STEPS, *sample.shape))
    g, gs = sample.array(), sample.array(xs.shape)

    def function(a: Any, rows: Any) -> tuple[Any, ...]:
        return tuple(engine.scan(lambda s, x: (rule(s), multiply(s, x)), a, rows))

    of_items, of_state = np.stack([gs[n] * h * 2**n for n in range(STEPS)]), g
    for n in reversed(range(STEPS)):
        of_state = 3 * of_state + gs[n] * xs[n]
    what = "a loop whose step doubles its carry by a rule that triples"
    hold_gradients(engine, function, [h, xs], [g, gs], [of_state, of_items], what)


@contract("C11", "loop-rule-captured", Capability.LOOPS, Capability.SEVERAL_OUTPUTS)
def rule_of_each_operand_in_a_loop_gets_what_the_step_captures(engine: Backend, sample: Sample) -> None:
    """In a step, a custom rule that is called for each operand gives what the step captures its gradient at every step."""
    rule = engine.custom_by_operand(lambda a, b: a * b, lambda i, gs, xs, zs: gs[0] * xs[1 - i])
    multiply = engine.op(MULTIPLY)
    xs, w, gs = sample.array((STEPS, *sample.shape)), sample.array(), sample.array((STEPS, *sample.shape))
    h, g = sample.array(), sample.array()

    def function(a: Any, rows: Any, b: Any) -> tuple[Any, ...]:
        return tuple(engine.scan(lambda s, x: (multiply(s, x), rule(x, b)), a, rows))

    of_items = gs * w
    for n in range(STEPS):
        of_items[n] += g * h * np.delete(xs, n, axis=0).prod(axis=0)
    expected = [g * xs.prod(axis=0), of_items, (gs * xs).sum(axis=0)]
    what = "a loop whose step scales each item by what it captures, by a rule of each operand"
    hold_gradients(engine, function, [h, xs, w], [g, gs], expected, what)


@contract("C11", "loop-detached", Capability.LOOPS, Capability.DETACH)
def what_a_step_detaches_is_a_constant(engine: Backend, sample: Sample) -> None:
    """Where each step detaches its carry, no cotangent goes back beyond that step."""
    run = drawn(sample)
    gs = sample.array(run.items.shape)

    def function(h: Any, xs: Any, w: Any) -> Any:
        step = step_of(engine, w)
        return engine.scan(lambda s, x: step(engine.detach(s), x), h, xs)[1]

    states = np.stack(run.states[:-1])
    expected = (np.zeros_like(run.start), gs * states, np.zeros_like(run.factor))
    hold_gradients(engine, function, run.operands, [gs], expected, "h x in a loop that detaches its carry")
    last = lambda h, xs, w: engine.scan(  # noqa: E731
        lambda s, x: step_of(engine, w)(engine.detach(s), x), h, xs
    )[0]
    g = sample.array()
    of_items = np.zeros_like(run.items)
    of_items[-1] = g
    expected = (np.zeros_like(run.start), of_items, g * run.states[-2])
    hold_gradients(engine, last, run.operands, [g], expected, "h w + x in a loop that detaches its carry")


@contract("C11", "loop-nested", Capability.LOOPS)
def loop_in_a_loop_has_the_gradients_of_all_steps(engine: Backend, sample: Sample) -> None:
    """A loop whose step is a loop has the gradients of all steps; what the inner one captures from outside of both has the sum."""
    run, g = drawn(sample, 4), sample.array()
    nested = run.items.reshape(2, 2, *sample.shape)
    negative = engine.op(NEGATIVE)

    def function(h: Any, blocks: Any, w: Any) -> Any:
        inner = lambda s, xs: (engine.scan(step_of(engine, w), s, xs)[0], negative(s))  # noqa: E731
        return engine.scan(inner, h, blocks)[0]

    of_start, of_items, of_factor = run.pulled(g)
    expected: list[Array] = [of_start, of_items.reshape(nested.shape), of_factor]
    operands = [run.start, nested, run.factor]
    hold_gradients(engine, function, operands, [g], expected, "h w + x in a loop of loops")
