"""Checkpointed functions, whose values the backward pass computes again (C6)."""

from __future__ import annotations

import gc
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from conformance.backend import Backend, Capability, Function
from conformance.case import Array
from conformance.checks.b_graph.lifetime import resident, without_collector
from conformance.checks.b_graph.second_backward import gradients_of_passes
from conformance.checks.c_modes.hooks import doubling
from conformance.checks.c_modes.programs import function_of, non_linear_program, results_of
from conformance.checks.comparison import decides_by_refusal, hold_equal
from conformance.checks.engine_calls import computes, gradients_of, one_sample_in_four, unless_refused
from conformance.checks.observation import hold_gradient, plain
from conformance.checks.registry import NotThisCase, contract, declared_convention
from conformance.checks.sample import Sample
from conformance.errors import Unsupported, Violation
from conformance.ops.names import MULTIPLY, NEGATIVE, SPLIT, TANH
from conformance.parameters import of_engine

ENTRIES, DEPTH = 2**17, 16  # of each array, 1 MB in double precision; how many there are


@contract("C6", "checkpoint", Capability.CHECKPOINTING)
def checkpoint_changes_no_bit(engine: Backend, sample: Sample) -> None:
    """A checkpointed function has the same values and gradients as the plain one, bit for bit."""
    program = non_linear_program(sample)
    function = function_of(engine, program)
    checkpointed = engine.checkpoint(function)
    for wrt in (None, [0]):
        plainly = results_of(engine, _between_others(engine, function), program, wrt)
        recomputed = results_of(engine, _between_others(engine, checkpointed), program, wrt)
        hold_equal(recomputed[0], plainly[0], "the value of a checkpointed function")
        for index in range(1, len(recomputed)):
            what = f"gradient {index - 1} of a checkpointed function, wrt={wrt}"
            hold_equal(recomputed[index], plainly[index], what)


@contract("C6", "every-digit", Capability.CHECKPOINTING)
def checkpoint_keeps_every_digit_of_its_operands(engine: Backend, sample: Sample) -> None:
    """What a checkpoint computes again it computes of the same numbers, to the last digit, in every precision."""
    multiply, tanh = engine.op(MULTIPLY), engine.op(TANH)

    def function(a: Any) -> Any:
        return tanh(multiply(a, a))

    for dtype in engine.dtypes:
        x, g = ((sample.array((3,)) / 3).astype(dtype) for _ in range(2))
        (plainly,) = gradients_of(engine, function, [x], g)
        (again,) = gradients_of(engine, engine.checkpoint(function), [x], g)
        hold_equal(again, plainly, f"the gradient of tanh(x²) in a checkpoint, in {dtype}")


def _between_others(engine: Backend, function: Any) -> Callable[..., Any]:
    """The function between other ops that do not use its operands.

    The contributions to a value used inside and outside may be added in another order.
    """
    negative, tanh = engine.op(NEGATIVE), engine.op(TANH)
    return lambda a, b: tanh(negative(function(negative(a), b)))


@contract("C6", "anew", Capability.CHECKPOINTING)
def checkpointed_function_is_recomputed(engine: Backend, sample: Sample) -> None:
    """The backward pass calls a checkpointed function once more, or replays its trace, as declared."""
    convention = declared_convention(engine, "C6")
    x, g, calls = sample.array(), sample.array(), []
    multiply = engine.op(MULTIPLY)

    def square(a: Any) -> Any:
        calls.append(a)
        return multiply(a, a)

    # A pullback may call any function again; what counts is what the checkpoint adds to that.
    plainly = _calls_in_backward(engine, square, calls, x, g)
    found = _calls_in_backward(engine, engine.checkpoint(square), calls, x, g) - plainly
    if found != (convention == "calls"):
        raise Violation(
            f"a checkpointed function was called {found} times in the backward pass; "
            f"the adapter declares {convention!r}"
        )


def _calls_in_backward(engine: Backend, function: Any, calls: list[Any], x: Array, g: Array) -> int:
    """How often the backward pass of x * x calls the function, which notes its calls."""
    traced = engine.trace(function, [np.array(x)])
    before = len(calls)
    (got,) = traced.pull([engine.array(np.array(g))])
    hold_gradient(engine, got, 2 * g * x, "the gradient of x * x")
    return len(calls) - before


@contract("C6", "constants", Capability.CHECKPOINTING)
def constants_made_in_a_checkpoint_stay_constant(engine: Backend, sample: Sample) -> None:
    """What a checkpointed function computes in a no_grad scope, or detaches, is a constant when it is computed again."""
    multiply = engine.op(MULTIPLY)

    def unrecorded(a: Any) -> Any:
        with engine.no_grad():
            return multiply(a, a)

    makers = {
        Capability.NO_GRAD: ("computed in a no_grad scope", unrecorded),
        Capability.DETACH: ("detached", lambda a: engine.detach(multiply(a, a))),
    }
    offered = [maker for need, maker in makers.items() if need in engine.capabilities]
    if not offered:
        raise Unsupported("the engine has neither a no_grad scope nor detached values")
    for what, constant in offered:
        x, g = sample.array(), sample.array()
        function = engine.checkpoint(lambda a, constant=constant: multiply(constant(a), a))
        for place, around in {"": lambda a: a, " of a result": engine.op(NEGATIVE)}.items():
            (got,) = gradients_of(engine, lambda a, f=function, h=around: f(h(a)), [x], g)
            sign = -1 if place else 1
            hold_equal(got, sign * g * x * x, f"the gradient of x² x in a checkpoint{place}, x² {what}")
    if Capability.DETACH in engine.capabilities:
        x, g = sample.array(), sample.array()
        (got,) = gradients_of(engine, engine.checkpoint(lambda a: multiply(engine.detach(a), a)), [x], g)
        hold_equal(got, g * x, "the gradient of x x in a checkpoint, its operand detached in the first place")


@contract("C6", "captured-passes", Capability.CHECKPOINTING, Capability.RETAINING)
def checkpoint_that_captures_is_passed_several_times(engine: Backend, sample: Sample) -> None:
    """In each pass through a retained graph, what a checkpoint takes and what it captures get the gradients of that pass alone."""
    multiply = engine.op(MULTIPLY)
    x, w, *cotangents = (sample.array() for _ in range(5))

    def function(a: Any, b: Any) -> Any:
        return of_engine(engine.checkpoint(lambda t: multiply(multiply(t, t), b)))(a)

    passes = gradients_of_passes(engine, function, [x, w], cotangents)
    for n, (got, g) in enumerate(zip(passes, cotangents, strict=True), start=1):
        for ours, right, name in zip(got, (2 * g * x * w, g * x * x), "xw", strict=True):
            hold_equal(
                ours, right, f"{name}'s gradient of x² w, w captured by a checkpoint, in pass {n} of three"
            )


@contract("C6", "hooks", Capability.CHECKPOINTING, Capability.HOOKS)
def hooks_in_and_around_a_checkpoint_are_called_once(engine: Backend, sample: Sample) -> None:
    """A hook on what a checkpoint captures, and one that is set inside it, changes the cotangent once, as without a checkpoint."""
    multiply, negative = engine.op(MULTIPLY), engine.op(NEGATIVE)
    for inside in (False, True):
        x, w, g = (sample.array() for _ in range(3))

        def function(a: Any, b: Any, inside: bool = inside) -> Any:
            captured = negative(b)

            def product(t: Any) -> Any:
                result = multiply(multiply(t, captured), t)
                if inside:
                    engine.hook(result, doubling(engine))
                return result

            if not inside:
                engine.hook(captured, doubling(engine))
            return negative(of_engine(engine.checkpoint(product))(a))

        got = gradients_of(engine, function, [x, w], g)
        where = "set in a checkpoint" if inside else "of what a checkpoint captures"
        for gradient, expected, name in zip(
            got, ((4 if inside else 2) * g * x * w, 2 * g * x * x), "xw", strict=True
        ):
            hold_equal(gradient, expected, f"{name}'s gradient of x² w, doubled by a hook {where}")


@contract("C6", "outputs", Capability.CHECKPOINTING)
def outputs_of_a_checkpoint_may_be_operands_and_parts(engine: Backend, sample: Sample) -> None:
    """An operand that a checkpoint returns has its gradient, and so has each part of one op's outputs that it captures."""
    multiply = engine.op(MULTIPLY)
    x, g, h = (sample.array() for _ in range(3))
    _, (got,) = engine.vjp(engine.checkpoint(lambda t: (multiply(t, t), t)), [np.array(x)], [g, h])
    hold_gradient(engine, got, 2 * g * x + h, "the gradient of (x², x) by a checkpoint")
    if SPLIT not in engine.ops:
        return
    w = sample.array((4,))
    x, g = sample.array((2,)), sample.array((2,))
    parts = engine.call(SPLIT, {"indices_or_sections": 2, "axis": 0})

    def function(a: Any, b: Any) -> Any:
        first, second = parts(b)
        return of_engine(engine.checkpoint(lambda t: multiply(multiply(t, first), second)))(a)

    of_x, of_w = gradients_of(engine, function, [x, w], g)
    hold_equal(
        of_x, g * w[:2] * w[2:], "x's gradient of x u v, a checkpoint that captures both halves of (u, v)"
    )
    hold_equal(
        of_w,
        np.concatenate([g * x * w[2:], g * x * w[:2]]),
        "the captured array's gradient of x u v, a checkpoint that captures both halves of (u, v)",
    )


@contract("C6", "captured-outside", Capability.CHECKPOINTING, Capability.HIGHER_ORDER)
def gradient_through_a_checkpoint_depends_on_what_it_captures_from_outside(
    engine: Backend, sample: Sample
) -> None:
    """The gradient by a checkpoint's operand alone is differentiated by what the checkpoint captures from around it."""
    multiply = engine.op(MULTIPLY)
    x, w, g, v = (sample.array() for _ in range(4))

    def gradient(a: Any, b: Any) -> Any:
        checkpointed = engine.checkpoint(lambda t: multiply(multiply(t, t), b))
        return engine.nested_vjp(of_engine(checkpointed), [a], [engine.array(np.array(g))])[0]

    outputs, _ = engine.vjp(gradient, [np.array(x), np.array(w)], [np.array(v)])
    what = "x's gradient of x²w by a checkpoint that captures w from outside"
    hold_equal(plain(engine, outputs[0]), 2 * g * x * w, what)
    for ours, right, by in zip(
        gradients_of(engine, gradient, [x, w], v), (2 * g * w * v, 2 * g * x * v), "xw", strict=True
    ):
        hold_equal(ours, right, f"the derivative by {by} of {what}")


@contract("C6", "operand-captured", Capability.CHECKPOINTING)
def operand_that_is_captured_too_has_both_gradients(engine: Backend, sample: Sample) -> None:
    """An array that a checkpointed function takes as an operand and captures as well has the sum of both gradients."""
    multiply = engine.op(MULTIPLY)
    x, g = sample.array(), sample.array()

    def function(a: Any) -> Any:
        return of_engine(engine.checkpoint(lambda row: multiply(row, a)))(a)

    (got,) = gradients_of(engine, function, [x], g)
    hold_equal(got, 2 * g * x, "x's gradient of x², one x an operand of a checkpoint and one captured by it")


@contract("C6", "number", Capability.CHECKPOINTING)
def number_given_to_a_checkpoint_stays_a_number(engine: Backend, sample: Sample) -> None:
    """A Python number given to a checkpoint, unless it is refused, is what it is without one: the value's dtype is the same."""
    multiply = engine.op(MULTIPLY)
    for dtype in engine.dtypes:
        x, g = (np.sign(sample.array((3,))).astype(dtype) for _ in range(2))
        if not computes(engine, lambda a: multiply(a, 0.5), [x]):
            raise Unsupported(f"{engine.engine} takes no Python number as an operand")
        (plainly,) = engine.forward(lambda a: multiply(a, 0.5), [np.array(x)])
        alone = plain(engine, plainly).dtype
        function = engine.checkpoint(multiply)
        seed = g.astype(alone)
        half_of = lambda a, f=function: f(a, 0.5)  # noqa: E731
        answer = unless_refused(partial(engine.vjp, half_of, [np.array(x)], [seed]), engine)
        if answer is None:
            decides_by_refusal()
            continue
        (value,), (got,) = answer
        hold_equal(half := plain(engine, value), x / 2, f"x / 2 in a checkpoint, in {dtype}")
        hold_gradient(engine, got, g / 2, f"the gradient of x / 2 in a checkpoint, in {dtype}")
        if half.dtype != alone:
            raise Violation(
                f"x / 2 in {dtype} is of {half.dtype} in a checkpoint, and of {alone} without one"
            )


@contract("C6", "memory", Capability.CHECKPOINTING, is_about_outcome=True)
def checkpoint_keeps_no_intermediate_values(engine: Backend, sample: Sample) -> None:
    """Between forward and backward a checkpoint keeps less than half of the memory that the plain function keeps."""
    one_sample_in_four(sample)
    if engine.compiles_signatures:
        raise NotThisCase("a compiler decides what is kept")
    x, tanh = np.full(ENTRIES, 0.5, sample.dtype), engine.op(TANH)

    def function(a: Any) -> Any:
        for _ in range(DEPTH):
            a = tanh(a)
        return a

    def held_by(called: Function) -> int:
        """The bytes by which a process is larger that holds the graph, and waits for its cotangent."""
        engine.trace(called, [np.array(x)])  # code is loaded
        with without_collector():
            before = resident()
            traced = engine.trace(called, [np.array(x)])
            gc.collect()  # what only cycles keep is no fault of the checkpoint's
            held = resident() - before
        del traced
        return held

    plainly = held_by(function)
    if plainly < DEPTH * x.nbytes / 2:
        raise NotThisCase(
            "the plain function keeps no intermediate values, or keeps them in memory that was there"
        )
    held = held_by(engine.checkpoint(function))
    if held > plainly / 2:
        raise Violation(
            f"a checkpoint of {DEPTH} ops on arrays of {x.nbytes} bytes holds {held} bytes, the plain function {plainly}"
        )
