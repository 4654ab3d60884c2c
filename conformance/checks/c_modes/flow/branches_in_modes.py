"""The engine's own branch inside its other transforms: second order, tangents, compiled, mapped (C11)."""

from __future__ import annotations

from typing import Any

import numpy as np

from conformance.backend import Backend, Capability, Function
from conformance.case import Array
from conformance.checks.c_modes.flow.branches import hold_taken
from conformance.checks.c_modes.flow.recurrence import hold_gradients
from conformance.checks.comparison import hold_equal
from conformance.checks.engine_calls import full_sum, is_above
from conformance.checks.observation import plain
from conformance.checks.registry import contract
from conformance.checks.sample import Sample
from conformance.ops.names import ADD, MULTIPLY
from conformance.parameters import of_engine


def _chosen(engine: Backend) -> Function:
    """x² w where the sum of x is above zero, x w² elsewhere."""
    multiply, total = engine.op(MULTIPLY), full_sum(engine)

    def function(x: Any, w: Any) -> Any:
        then = lambda a: multiply(multiply(a, a), w)  # noqa: E731
        otherwise = lambda a: multiply(multiply(a, w), w)  # noqa: E731
        return engine.branch(is_above(engine, total(x), 0), then, otherwise, [x])

    return function


def _gradient_of(engine: Backend, function: Function, cotangent: Array, which: int) -> Function:
    """One of the gradients of a function, as a function of all operands."""
    return lambda *operands: engine.nested_vjp(function, operands, [engine.array(np.array(cotangent))])[which]


@contract("C11", "branch-second", Capability.BRANCHES, Capability.HIGHER_ORDER)
def gradient_of_a_branch_is_differentiated(engine: Backend, sample: Sample) -> None:
    """The gradients of a branch, by its operand and by what it captures, are differentiated by both."""
    _hold_second(engine, sample, _chosen(engine), 0, "")


@contract("C11", "branch-second-beside", Capability.BRANCHES, Capability.HIGHER_ORDER)
def gradient_of_a_branch_beside_other_terms_is_differentiated(engine: Backend, sample: Sample) -> None:
    """Where other terms are added to a branch, its part of the second derivatives is not lost."""
    multiply, add = engine.op(MULTIPLY), engine.op(ADD)
    chosen = _chosen(engine)

    def cube(x: Any) -> Any:
        return multiply(multiply(x, x), x)

    _hold_second(engine, sample, lambda x, w: add(chosen(x, w), add(cube(x), cube(w))), 6, " + x³ + w³")


def _hold_second(engine: Backend, sample: Sample, function: Function, further: int, beside: str) -> None:
    """Claim the second derivatives of the branch, to which `further` times x is added, and times w."""
    size = np.abs(sample.array())
    for x in (size, -size):
        w, g, v = (sample.array() for _ in range(3))
        (by_xx, by_xw), (by_wx, by_ww) = (
            ((2 * w, 2 * x), (2 * x, 0 * x)) if x.sum() > 0 else ((0 * x, 2 * w), (2 * w, 2 * x))
        )
        second = ((by_xx + further * x, by_xw), (by_wx, by_ww + further * w))
        for which, slopes in enumerate(second):
            what = f"operand {which}'s gradient of (x² w if sum(x) > 0 else x w²){beside}"
            gradient = _gradient_of(engine, function, g, which)
            hold_gradients(engine, gradient, [x, w], [v], [g * v * slope for slope in slopes], what)


@contract("C11", "branch-forward", Capability.BRANCHES, Capability.FORWARD)
def tangents_go_through_the_branch_taken(engine: Backend, sample: Sample) -> None:
    """The tangent of a branch is that of the function that is called, along its operand and what it captures."""
    size = np.abs(sample.array())
    for x in (size, -size):
        w, s, t = (sample.array() for _ in range(3))
        operands, tangents = [np.array(x), np.array(w)], [np.array(s), np.array(t)]
        outputs, pushed = engine.jvp(_chosen(engine), operands, tangents)
        value, expected = (
            (x * x * w, 2 * x * w * s + x * x * t) if x.sum() > 0 else (x * w * w, w * w * s + 2 * x * w * t)
        )
        what = "x² w if sum(x) > 0 else x w²"
        hold_equal(plain(engine, outputs[0]), value, f"the value of {what}")
        hold_equal(plain(engine, pushed[0]), expected, f"the tangent of {what}")


@contract("C11", "branch-compiled", Capability.BRANCHES, Capability.COMPILING)
def compiled_branch_is_taken_anew(engine: Backend, sample: Sample) -> None:
    """A compiled function with a branch takes it by the values of each call."""
    multiply, add = engine.op(MULTIPLY), engine.op(ADD)

    def plainly(x: Any, w: Any, flag: Any) -> Any:
        return engine.branch(flag, lambda a: multiply(a, w), lambda a: add(a, w), [x])

    compiled = engine.compiled(plainly)
    for flag in (True, False, True):
        x, w, g = (sample.array() for _ in range(3))
        value, pulled = (x * w, (g * w, g * x)) if flag else (x + w, (g, g))
        what = f"x w if {flag} else x + w, compiled"
        hold_taken(engine, compiled, [x, w], flag, value, (*pulled, g), what)


@contract("C11", "branch-mapped", Capability.BRANCHES, Capability.VECTORIZING)
def mapped_branch_is_taken_by_every_row(engine: Backend, sample: Sample) -> None:
    """A function with a branch, mapped over rows of several lengths, takes for each row the one of its own condition; what both capture has the sum over rows."""
    chosen = _chosen(engine)

    def function(rows: Any, b: Any) -> Any:
        return of_engine(engine.vectorized(lambda row: chosen(row, b)))(rows)

    for length in (2, 3):
        size, w = np.abs(sample.array((3, length))), sample.array((length,))
        x = size * np.reshape([1, -1, 1] if sample.seed % 2 else [-1, 1, -1], (3, 1)).astype(sample.dtype)
        g = sample.array((3, length))
        is_taken = x.sum(axis=1, keepdims=True) > 0
        of_x = g * np.where(is_taken, 2 * x * w, w * w)
        of_w = (g * np.where(is_taken, x * x, 2 * x * w)).sum(axis=0)
        what = f"x² w if sum(x) > 0 else x w², for every row of {length}"
        hold_gradients(engine, function, [x, w], [g], (of_x, of_w), what)
