"""Leaves that stop to need a gradient, and start again (C4)."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from conformance.backend import Backend, Capability, TapeBackend
from conformance.case import Array
from conformance.checks.b_graph.stored_gradients import hold_as_before
from conformance.checks.comparison import decides, hold_equal
from conformance.checks.engine_calls import (
    answer_or_refusal,
    hold_no_stored_gradient,
    hold_working,
    is_refused,
    tape_of,
    unless_refused,
)
from conformance.checks.observation import plain, stored
from conformance.checks.registry import contract
from conformance.checks.sample import Sample
from conformance.errors import Violation
from conformance.ops.names import ADD, MULTIPLY


def _stepped(tape: TapeBackend, x: Any, w: Any, g: Array) -> None:
    """A backward pass of x² w."""
    multiply = tape.op(MULTIPLY)
    tape.backward(multiply(multiply(x, x), w), tape.array(np.array(g)))


def _leaves(tape: TapeBackend, sample: Sample) -> tuple[Array, Array, Array, Any, Any]:
    x, w, g = (sample.array() for _ in range(3))
    return x, w, g, tape.leaf(np.array(x)), tape.leaf(np.array(w))


@contract("C4", "frozen", Capability.FREEZING)
def frozen_leaf_gets_no_gradient(engine: Backend, sample: Sample) -> None:
    """A leaf that is frozen before a function is called gets no gradient, whichever of two it is, and the other's does not change."""
    tape = tape_of(engine)
    for which in (0, 1):
        x, w, g, *leaves = _leaves(tape, sample)
        first, second = leaves
        tape.needs_gradient(leaves[which], False)
        before, what = stored(tape, leaves[which]), f"leaf {which}, which is frozen,"
        _stepped(tape, first, second, g)
        if before is None:
            hold_no_stored_gradient(tape, leaves[which], what)
        else:  # an engine may store zeros from the start
            hold_as_before(tape, leaves[which], before, f"what is stored of {what}")
        other = 1 - which
        right = (2 * g * x * w, g * x * x)[other]
        hold_equal(
            stored(tape, leaves[other]),
            right,
            f"the gradient of x² w beside a frozen leaf, {other}",
        )


@contract("C4", "frozen-stored", Capability.FREEZING)
def stored_gradient_of_a_frozen_leaf_stays(engine: Backend, sample: Sample) -> None:
    """A gradient that is stored when its leaf is frozen stays as it is, through further backward passes, too."""
    tape = tape_of(engine)
    x, _, g, leaf, frozen = _leaves(tape, sample)
    _stepped(tape, leaf, frozen, g)
    tape.needs_gradient(frozen, False)
    hold_equal(stored(tape, frozen), g * x * x, "the stored gradient of a leaf that is frozen")
    _stepped(tape, leaf, frozen, sample.array())
    hold_equal(stored(tape, frozen), g * x * x, "the stored gradient of a frozen leaf, after a pass")


@contract("C4", "thawed", Capability.FREEZING)
def thawed_leaf_gets_gradients_again(engine: Backend, sample: Sample) -> None:
    """A leaf that was frozen, and is not any more, gets the gradient of each pass from then on, which is added where passes are; what it missed stays missed."""
    tape = tape_of(engine)
    x, *_, leaf, frozen = _leaves(tape, sample)
    total = np.zeros_like(x)
    for step, is_needed in enumerate((True, False, True, True, False, False, True), start=1):
        tape.needs_gradient(frozen, is_needed)
        g = sample.array()
        _stepped(tape, leaf, frozen, g)
        if is_needed:
            total = g * x * x + (0 if engine.conventions.get("B3") == "replaces" else total)
        hold_equal(
            stored(tape, frozen),
            total,
            f"the gradient of a leaf after step {step}, frozen and thawed",
        )


@contract("C4", "needed-already", Capability.FREEZING, Capability.HOOKS)
def leaf_that_needs_a_gradient_already_stays_as_it_is(engine: Backend, sample: Sample) -> None:
    """To say of a leaf that needs a gradient that it needs one changes nothing: not what was recorded of it, its stored gradient, or its hooks."""
    tape = tape_of(engine)
    x, w, g, leaf, other = _leaves(tape, sample)
    seen: list[Array] = []
    tape.hook(leaf, lambda cotangent: seen.append(plain(tape, cotangent)))
    _stepped(tape, leaf, other, g)
    multiply = tape.op(MULTIPLY)
    recorded = multiply(multiply(leaf, leaf), other)
    tape.needs_gradient(leaf, True)
    slope, before = 2 * g * x * w, "of a leaf that was said to need one again"
    hold_equal(stored(tape, leaf), slope, f"the stored gradient {before}")
    tape.backward(recorded, tape.array(np.array(g)))
    _stepped(tape, leaf, other, g)
    total = slope if engine.conventions.get("B3") == "replaces" else 3 * slope
    hold_equal(stored(tape, leaf), total, f"the gradient {before}")
    if len(seen) != 3:
        raise Violation(f"a hook {before} was called {len(seen)} times in three backward passes")
    hold_equal(seen[-1], slope, f"the cotangent that a hook {before} sees")


@contract("C4", "frozen-between", Capability.FREEZING)
def graph_recorded_before_a_switch_is_refused_or_right(engine: Backend, sample: Sample) -> None:
    """Where a leaf is frozen or thawed between a function and its backward pass, that pass is refused, or the other leaf's gradient is right and the leaf's own is right or none, for which an engine may declare zeros (A13)."""
    tape = tape_of(engine)
    multiply = tape.op(MULTIPLY)
    zeros_are_none = engine.conventions.get("A13") == "zeros"
    for is_frozen in (True, False):
        x, w, g, leaf, switched = _leaves(tape, sample)
        if not is_frozen:
            tape.needs_gradient(switched, False)
        output = multiply(multiply(leaf, leaf), switched)
        tape.needs_gradient(switched, not is_frozen)
        _, raised = answer_or_refusal(partial(tape.backward, output, tape.array(np.array(g))))
        when = "frozen" if is_frozen else "thawed"
        if not raised:
            hold_equal(
                stored(tape, leaf),
                2 * g * x * w,
                f"the gradient beside a leaf that is {when} afterwards",
            )
            if (gradient := tape.grad(switched)) is None:
                continue
            got = plain(tape, gradient)
            if got.any() or not zeros_are_none:
                hold_equal(got, g * x * x, f"the gradient of a leaf that is {when} afterwards")
    hold_working(engine, sample, "after leaves were frozen between a function and its backward pass")


@contract("C4", "frozen-and-thawed-between", Capability.FREEZING)
def leaf_that_is_frozen_for_a_while_has_its_gradient(engine: Backend, sample: Sample) -> None:
    """Where a leaf is frozen and thawed again between a function and its backward pass, that pass is refused, or all gradients are complete, also where the leaf is used afterwards, too."""
    tape = tape_of(engine)
    multiply, add = tape.op(MULTIPLY), tape.op(ADD)
    for is_used_again in (False, True):
        x, w, g, leaf, switched = _leaves(tape, sample)
        output = multiply(multiply(leaf, leaf), switched)
        tape.needs_gradient(switched, False)
        tape.needs_gradient(switched, True)
        if is_used_again:
            output = add(multiply(leaf, switched), output)
        _, raised = answer_or_refusal(partial(tape.backward, output, tape.array(np.array(g))))
        if raised:
            continue
        again = " and used again" if is_used_again else ""
        what = f"leaf that was frozen and thawed{again} between x² w and its backward pass"
        of_x, of_w = (w, x) if is_used_again else (0, 0)
        hold_equal(stored(tape, switched), g * (x * x + of_w), f"the gradient of a {what}")
        hold_equal(stored(tape, leaf), g * (2 * x * w + of_x), f"the gradient beside a {what}")
    hold_working(
        engine, sample, "after leaves were frozen and thawed between a function and its backward pass"
    )


@contract("C4", "frozen-result", Capability.FREEZING)
def result_cannot_be_frozen(engine: Backend, sample: Sample) -> None:
    """A result that has a history cannot be frozen, since it is no leaf: that is refused, and its gradient is right afterwards."""
    tape = tape_of(engine)
    x, w, g, leaf, other = _leaves(tape, sample)
    multiply = tape.op(MULTIPLY)
    product = multiply(leaf, other)
    decides(True)
    if not is_refused(partial(tape.needs_gradient, product, False)):
        raise Violation("a result that has a history was frozen")
    tape.backward(multiply(product, leaf), tape.array(np.array(g)))
    hold_equal(stored(tape, leaf), 2 * g * x * w, "the gradient of x² w, of which x w was to be frozen")
    hold_equal(stored(tape, other), g * x * x, "w's gradient of x² w, of which x w was to be frozen")


@contract("C4", "constant-thawed", Capability.FREEZING)
def constant_may_become_a_leaf(engine: Backend, sample: Sample) -> None:
    """A constant that needs a gradient from now on gets it, and what was computed of it before stays a constant."""
    tape = tape_of(engine)
    multiply = tape.op(MULTIPLY)
    x, w, g = (sample.array() for _ in range(3))
    leaf, constant = tape.leaf(np.array(x)), tape.array(np.array(w))
    before = multiply(constant, constant)
    tape.needs_gradient(constant, True)
    tape.backward(multiply(multiply(leaf, constant), before), tape.array(np.array(g)))
    hold_equal(stored(tape, constant), g * x * w * w, "the gradient of a constant that became a leaf")
    hold_equal(stored(tape, leaf), g * w * w * w, "the gradient beside a constant that became a leaf")


@contract("C4", "frozen-written", Capability.FREEZING, Capability.RECORDED_WRITES)
def frozen_leaf_is_written_into_as_a_constant_is(engine: Backend, sample: Sample) -> None:
    """What is written into a frozen leaf, a number or a recorded value, is refused where a constant refuses it; else values and gradients are the constant's."""
    tape = tape_of(engine)
    x, w, g = (sample.array((2, 3)) for _ in range(3))
    v = sample.array((3,))
    for is_recorded in (False, True):

        def written(target: Any, is_recorded: bool = is_recorded) -> list[Array | None]:
            """The value and the gradients of target times w, after a write into the target."""
            given = tape.leaf(np.array(v)) if is_recorded else tape.array(np.array(v))
            tape.assign(target, (0,), given)
            leaf = tape.leaf(np.array(w))
            output = tape.op(MULTIPLY)(target, leaf)
            tape.backward(output, tape.array(np.array(g)))
            return [plain(tape, output), stored(tape, leaf), stored(tape, given) if is_recorded else None]

        frozen = tape.leaf(np.array(x))
        tape.needs_gradient(frozen, False)
        right = unless_refused(partial(written, tape.array(np.array(x))))
        found, message = answer_or_refusal(partial(written, frozen))
        what = f"{'a recorded value' if is_recorded else 'numbers'} written into a frozen leaf"
        if (found is None) != (right is None):
            raise Violation(
                f"{what} {f'are refused ({message})' if found is None else 'are taken'}, and of a constant not"
            )
        if found is None or right is None:
            continue  # both are refused
        for got, expected, of in zip(
            found, right, ("the value", "w's gradient", "its gradient"), strict=True
        ):
            if expected is not None:
                hold_equal(got, expected, f"{of} of x w, with {what} x")
