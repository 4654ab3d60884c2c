"""The engine's own loop inside its other transforms: second order, tangents, compiled, mapped (C11)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from conformance.backend import Backend, Capability, Function
from conformance.checks.c_modes.flow.recurrence import (
    STEPS,
    Recurrence,
    drawn,
    hold_gradients,
    hold_values,
    scanned,
)
from conformance.checks.comparison import hold_equal
from conformance.checks.observation import plain
from conformance.checks.registry import contract
from conformance.checks.sample import Sample
from conformance.ops.names import MULTIPLY
from conformance.parameters import of_engine

ROWS = 2
SOME = ((0,), (1,), (2,), (1, 2))  # of a loop's first carry, its items, and what its steps capture


@contract("C11", "loop-second", Capability.LOOPS, Capability.HIGHER_ORDER)
def gradient_of_a_loop_is_differentiated(engine: Backend, sample: Sample) -> None:
    """The gradients of a loop by its carry, its items and what it captures are differentiated by each of them."""
    multiply = engine.op(MULTIPLY)
    h, w, g, v = (sample.array((2,)) for _ in range(4))
    xs = sample.array((2, 2))
    weights = sample.array((2, 2))

    def loop(a: Any, rows: Any, b: Any) -> Any:
        return engine.scan(lambda s, x: (multiply(multiply(s, b), x), s), a, rows)[0]  # h w² x₀ x₁

    def gradient(which: int) -> Any:
        return lambda *operands: engine.nested_vjp(loop, operands, [engine.array(np.array(g))])[which]

    x0, x1 = xs
    second = {
        0: (v, (0 * h, g * v * w * w * np.stack([x1, x0]), 2 * g * v * w * x0 * x1)),
        1: (
            weights,
            (
                g * w * w * (weights[0] * x1 + weights[1] * x0),
                np.stack([g * h * w * w * weights[1], g * h * w * w * weights[0]]),
                2 * g * h * w * (weights[0] * x1 + weights[1] * x0),
            ),
        ),
        2: (v, (2 * g * v * w * x0 * x1, 2 * g * v * h * w * np.stack([x1, x0]), 2 * g * v * h * x0 * x1)),
    }
    for which, (given, expected) in second.items():
        what = f"operand {which}'s gradient of h w x in a loop"
        hold_gradients(engine, gradient(which), [h, xs, w], [given], expected, what)


@contract("C11", "loop-forward", Capability.LOOPS, Capability.FORWARD)
def tangents_go_through_a_loop(engine: Backend, sample: Sample) -> None:
    """The tangents of a loop's last carry and outputs are those of the steps, along its carry, its items and what it captures."""
    run = drawn(sample)
    along = [sample.array(x.shape) for x in run.operands]
    for chosen in ((0, 1, 2), (0,), (1,), (2,)):
        tangents = [t if n in chosen else np.zeros_like(t) for n, t in enumerate(along)]
        operands = [np.array(x) for x in run.operands]
        outputs, pushed = engine.jvp(scanned(engine), operands, [np.array(t) for t in tangents])
        hold_values(engine, outputs, [run.states[-1], run.outputs], "a loop beside tangents")
        names = ("last carry", "outputs")
        for got, right, name in zip(pushed, run.pushed(*tangents), names, strict=True):
            value = None if got is None else plain(engine, got)
            hold_equal(value, right, f"the tangent of a loop's {name}, along operands {chosen}")


@contract("C11", "loop-from-constants", Capability.LOOPS)
def loop_from_constants_depends_on_what_its_steps_read(engine: Backend, sample: Sample) -> None:
    """Where some of a loop's first carry, items and captured arrays are constants, the others have their gradients: a carry that starts as a constant depends on what the first step reads."""
    run, g = drawn(sample), sample.array()
    gs = sample.array(run.items.shape)
    pulled = run.pulled(g, gs)
    for chosen in SOME:
        operands, expected = ([parts[n] for n in chosen] for parts in (run.operands, pulled))
        what = f"a loop of which operands {chosen} are variables"
        hold_gradients(engine, _of_some(engine, run, chosen), operands, [g, gs], expected, what)


@contract("C11", "loop-forward-from-constants", Capability.LOOPS, Capability.FORWARD)
def tangents_enter_a_loop_from_constants(engine: Backend, sample: Sample) -> None:
    """The tangents of such a loop are those along its variables."""
    run = drawn(sample)
    for chosen in SOME:
        tangents = [sample.array(run.operands[n].shape) for n in chosen]
        along = [np.zeros_like(x) for x in run.operands]
        for n, tangent in zip(chosen, tangents, strict=True):
            along[n] = np.array(tangent)
        operands = [np.array(run.operands[n]) for n in chosen]
        _, pushed = engine.jvp(_of_some(engine, run, chosen), operands, tangents)
        for got, right, name in zip(pushed, run.pushed(*along), ("last carry", "outputs"), strict=True):
            value = None if got is None else plain(engine, got)
            hold_equal(
                value, right, f"the tangent of the {name} of a loop of which operands {chosen} are variables"
            )


def _of_some(engine: Backend, run: Recurrence, chosen: Sequence[int]) -> Function:
    """The loop as a function of some of its operands; the others are constants."""

    def function(*given: Any) -> Any:
        arrays = [engine.array(np.array(x)) for x in run.operands]
        for n, x in zip(chosen, given, strict=True):
            arrays[n] = x
        return scanned(engine)(*arrays)

    return function


@contract("C11", "loop-compiled", Capability.LOOPS, Capability.COMPILING)
def compiled_loop_remembers_nothing(engine: Backend, sample: Sample) -> None:
    """A compiled function with a loop has the gradients of the steps, also with other numbers, and of other lengths."""
    compiled = engine.compiled(scanned(engine))
    for count in (STEPS, STEPS, 2):
        run, g = drawn(sample, count), sample.array()
        gs = sample.array(run.items.shape)
        what = f"a compiled loop of {count} steps"
        outputs = engine.forward(compiled, [np.array(x) for x in run.operands])
        hold_values(engine, outputs, [run.states[-1], run.outputs], what)
        hold_gradients(engine, compiled, run.operands, [g, gs], run.pulled(g, gs), what)


@contract("C11", "loop-mapped", Capability.LOOPS, Capability.VECTORIZING)
def mapped_loop_is_a_loop_for_every_row(engine: Backend, sample: Sample) -> None:
    """A function with a loop, mapped over rows, loops over the items of each row; what it captures has the sum over rows."""
    runs = [drawn(sample, STEPS, (2,)) for _ in range(ROWS)]
    factor = runs[0].factor
    runs = [Recurrence(run.start, run.items, factor) for run in runs]
    starts, items = (np.stack([getattr(run, name) for run in runs]) for name in ("start", "items"))
    g, gs = sample.array(starts.shape), sample.array(items.shape)
    loop = scanned(engine)

    def function(hs: Any, rows: Any, w: Any) -> Any:
        return of_engine(engine.vectorized(lambda h, xs: loop(h, xs, w)))(hs, rows)

    pulled = [run.pulled(g[n], gs[n]) for n, run in enumerate(runs)]
    of_start, of_items, of_factor = (np.stack(parts) for parts in zip(*pulled, strict=True))
    expected = (of_start, of_items, of_factor.sum(axis=0))
    hold_gradients(engine, function, [starts, items, factor], [g, gs], expected, "a loop for every row")


@contract("C11", "gradient-in-a-loop", Capability.LOOPS, Capability.HIGHER_ORDER)
def gradient_computed_in_a_step_is_the_steps_own(engine: Backend, sample: Sample) -> None:
    """A gradient that each step computes is that of the step, and is differentiated like any other value."""
    multiply = engine.op(MULTIPLY)
    h, w, g = sample.array(), sample.array(), sample.array()
    xs = sample.array((2, *sample.shape))

    def function(a: Any, rows: Any, b: Any) -> Any:
        def step(s: Any, x: Any) -> tuple[Any, Any]:
            slope = lambda t: multiply(multiply(t, t), b)  # noqa: E731
            return engine.nested_vjp(slope, [s], [x])[0], s  # 2 s w x

        return engine.scan(step, a, rows)[0]

    whole = 4 * g * w * w * xs[0] * xs[1]
    hold_gradients(
        engine,
        function,
        [h, xs, w],
        [g],
        (whole, 4 * g * h * w * w * xs[::-1], 8 * g * h * w * xs[0] * xs[1]),
        "a loop whose step is the gradient of s² w",
    )
