"""Loops of the engine's own whose steps mix the entries of their carry, so that the order of the steps matters (C11)."""

from __future__ import annotations

from typing import Any

import numpy as np

from conformance.backend import Backend, Capability
from conformance.case import Array
from conformance.checks.c_modes.flow.while_loops import hold_or_refused
from conformance.checks.comparison import hold_equal
from conformance.checks.engine_calls import is_above
from conformance.checks.observation import hold_gradient, plain
from conformance.checks.registry import contract
from conformance.checks.sample import Sample
from conformance.ops.names import MATMUL, MULTIPLY

SHAPE, STEPS = (2, 2), 3  # of matrices that do not commute, with numbers of few bits


@contract("C11", "loop-mixing", Capability.LOOPS)
def steps_that_do_not_commute_are_pulled_back_in_turn(engine: Backend, sample: Sample) -> None:
    """Of a loop that multiplies its carry by one matrix after the other, each has the gradient of its place."""
    matmul = engine.op(MATMUL)
    start, items, g = sample.array(SHAPE), sample.array((STEPS, *SHAPE)), sample.array(SHAPE)

    def function(c: Any, xs: Any) -> Any:
        return engine.scan(lambda c, x: (matmul(c, x), c), c, xs)[0]

    outputs, pulled = engine.vjp(function, [np.array(start), np.array(items)], [np.array(g)])
    a, b, c = items
    hold_equal(plain(engine, outputs[0]), start @ a @ b @ c, "s a b c, of a loop")
    of_items = np.stack([start.T @ g @ c.T @ b.T, (start @ a).T @ g @ c.T, (start @ a @ b).T @ g])
    expected = (g @ c.T @ b.T @ a.T, of_items)
    for got, slope, name in zip(pulled, expected, ("s", "(a, b, c)"), strict=True):
        hold_gradient(engine, got, slope, f"{name}'s gradient of s a b c, of a loop")
    if Capability.FORWARD in engine.capabilities:
        t, u = sample.array(SHAPE), sample.array((STEPS, *SHAPE))
        given = [[np.array(start), np.array(items)], [np.array(t), np.array(u)]]
        _, pushed = engine.jvp(function, *given)
        tangent = t @ a @ b @ c + start @ (u[0] @ b @ c + a @ u[1] @ c + a @ b @ u[2])
        hold_equal(plain(engine, pushed[0]), tangent, "the tangent of s a b c, of a loop")


@contract("C11", "while-mixing", Capability.LOOPS)
def steps_of_a_while_loop_that_do_not_commute(engine: Backend, sample: Sample) -> None:
    """The same of a loop that goes on while a condition holds, whose carry is two matrices: (A, B), then (B, A B), then (A B, B A B)."""
    matmul, multiply = engine.op(MATMUL), engine.op(MULTIPLY)
    a, b, g, h = (sample.array(SHAPE) for _ in range(4))
    half = np.asarray(0.5, sample.dtype)

    def function(x: Any, y: Any, size: Any) -> Any:
        def step(carry: Any) -> Any:
            first, second, n = carry
            return second, matmul(first, second), multiply(n, engine.array(np.array(half)))

        return tuple(engine.while_loop(lambda carry: is_above(engine, carry[2], 0.5), step, (x, y, size)))[:2]

    size = np.asarray(2.0, sample.dtype)  # halved twice, while it is above a half
    what = "(A B, B A B), of a loop of two steps"
    values = engine.forward(function, [np.array(a), np.array(b), np.array(size)])
    for got, value in zip(values, (a @ b, b @ a @ b), strict=True):
        hold_gradient(engine, got, value, what)
    expected: list[Array] = [
        g @ b.T + b.T @ h @ b.T,
        a.T @ g + h @ (a @ b).T + (b @ a).T @ h,
        np.zeros_like(size),
    ]
    hold_or_refused(engine, function, [a, b, size], [g, h], expected, what)
