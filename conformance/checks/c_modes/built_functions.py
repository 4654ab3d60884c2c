"""Custom rules (C5), checkpoints (C6), compiled and vectorized functions (C10), in each other and twice differentiated.

Each builds a function of x²w, whose value and derivatives of both orders are exact.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from conformance.backend import Backend, Capability, Function
from conformance.case import Array
from conformance.checks.c_modes.rules.rules_by_operand import ab_and_a2b
from conformance.checks.comparison import hold_equal
from conformance.checks.engine_calls import full_sum, gradients_of, is_refused
from conformance.checks.observation import hold_gradient, plain
from conformance.checks.paths import gradients_reached
from conformance.checks.registry import contract
from conformance.checks.sample import Sample
from conformance.errors import Unsupported, Violation
from conformance.ops.names import ADD, MULTIPLY
from conformance.parameters import of_engine

Build = Callable[[Backend, Function], Function]

SEVERAL = Capability.SEVERAL_OUTPUTS
CUSTOM, CHECKPOINT = Capability.CUSTOM_RULE, Capability.CHECKPOINTING
COMPILE, VECTORIZE = Capability.COMPILING, Capability.VECTORIZING
LAYERS = (CUSTOM, CHECKPOINT, COMPILE, VECTORIZE)
# How a function is built, from the inside out: of a custom rule, or of the engine's ops where none is named.
ORDERS: dict[str, tuple[tuple[Capability, ...], ...]] = {
    "C5": (
        (CUSTOM,),
        (CUSTOM, CHECKPOINT),
        (CUSTOM, COMPILE),
        (CUSTOM, VECTORIZE),
        (CUSTOM, VECTORIZE, COMPILE),
        (CUSTOM, CHECKPOINT, CHECKPOINT),
        (SEVERAL,),
        (SEVERAL, CHECKPOINT),
        (SEVERAL, COMPILE),
        (SEVERAL, VECTORIZE),
    ),
    "C6": ((CHECKPOINT,), (CHECKPOINT, CHECKPOINT), (CHECKPOINT, COMPILE), (CHECKPOINT, VECTORIZE)),
    "C10": ((COMPILE,), (VECTORIZE,), (COMPILE, COMPILE), (VECTORIZE, COMPILE), (COMPILE, VECTORIZE)),
}
WORDS = {
    CUSTOM: "a custom rule",
    SEVERAL: "a custom rule of two outputs",
    CHECKPOINT: "a checkpoint",
    COMPILE: "a compiled function",
    VECTORIZE: "a vectorized function",
}


def built(engine: Backend, order: tuple[Capability, ...]) -> Function:
    """x²w, built so."""
    multiply = engine.op(MULTIPLY)
    function: Function = lambda a, b: multiply(multiply(a, a), b)  # noqa: E731
    for layer in order:
        if layer is CUSTOM:
            function = engine.custom(
                lambda a, b: a * a * b, lambda g, a, b: (g * a * b + g * a * b, g * a * a)
            )
        elif layer is SEVERAL:
            pair = ab_and_a2b(engine)
            function = lambda a, b, pair=pair: pair(a, b)[1]  # noqa: E731
        elif layer is CHECKPOINT:
            function = engine.checkpoint(function)
        else:
            function = engine.compiled(function) if layer is COMPILE else engine.vectorized(function)
    return function


def _offered(engine: Backend, sample: Sample, clause: str) -> Iterator[tuple[str, tuple[Capability, ...]]]:
    """The orders that the engine can build, in words; for an engine that compiles each, one of them."""
    offered = [order for order in ORDERS[clause] if engine.capabilities.issuperset(order)]
    if engine.compiles_signatures:
        offered = offered[sample.seed % len(offered) :: len(offered)]
    for order in offered:
        yield " in ".join(WORDS[layer] for layer in order), order


def _hold_first_order(engine: Backend, sample: Sample, clause: str) -> None:
    """Claim the gradients of x²w, built in every order: both together, and each operand's beside a constant."""
    for what, order in _offered(engine, sample, clause):
        x, w, g = (sample.array((5,)) for _ in range(3))
        function = built(engine, order)
        if _is_refused(engine, order, function, [x, w], g):
            continue
        # One operand first: a function that is kept by its shapes must not remember which operands were constants.
        for wrt in ((0, 1),) if engine.compiles_signatures else ((1,), (0,), (0, 1)):
            outputs, gradients = engine.vjp(function, [np.array(x), np.array(w)], [np.array(g)], wrt)
            hold_equal(plain(engine, outputs[0]), x * x * w, f"the value of x²w, {what}")
            for i, got in zip(wrt, gradients, strict=True):
                expected = (2 * g * x * w, g * x * x)[i]
                hold_gradient(engine, got, expected, f"operand {i}'s gradient of x²w, {what}, wrt={wrt}")


def _is_refused(
    engine: Backend, order: tuple[Capability, ...], function: Function, operands: list[Array], g: Array
) -> bool:
    """Whether the engine refuses a combination that it may: a vectorized checkpoint, pulled back outside of the map."""
    return order == (CHECKPOINT, VECTORIZE) and is_refused(
        lambda: gradients_of(engine, function, operands, g)
    )


def _hold_second_order(engine: Backend, sample: Sample, clause: str) -> None:
    """Claim the second derivatives of x²w, built in every order."""
    for what, order in _offered(engine, sample, clause):
        x, w, g, v = (sample.array((5,)) for _ in range(4))
        function = built(engine, order)
        if _is_refused(engine, order, function, [x, w], g):
            continue
        derivatives = ((2 * w * g * v, 2 * x * g * v), (2 * x * g * v, np.zeros_like(x)))
        for i, expected in enumerate(derivatives):

            def first(a: Any, b: Any, h: Any, i: int = i, function: Function = function) -> Any:
                return engine.nested_vjp(function, [a, b], [h])[i]

            every = (*expected, (2 * x * w * v, x * x * v)[i])
            got = gradients_reached(engine, first, [x, w, g], v, every)
            for named, ours, right in zip(("x", "w", "the cotangent"), got, every, strict=True):
                hold_equal(ours, right, f"the derivative by {named} of operand {i}'s gradient of x²w, {what}")


@contract("C5", "inside-others", CUSTOM)
def custom_rule_works_inside_other_functions(engine: Backend, sample: Sample) -> None:
    """A custom rule has its gradient alone and inside checkpoints, compiled and vectorized functions."""
    _hold_first_order(engine, sample, "C5")


@contract("C5", "second-order", CUSTOM, Capability.HIGHER_ORDER)
def custom_rule_is_differentiated_again(engine: Backend, sample: Sample) -> None:
    """The derivative of a custom rule's gradient is that of what the rule computes, by operands and cotangent."""
    _hold_second_order(engine, sample, "C5")


@contract("C6", "inside-others", CHECKPOINT)
def checkpoint_works_inside_other_functions(engine: Backend, sample: Sample) -> None:
    """A checkpoint has the plain gradient alone, in another checkpoint, and in compiled and vectorized functions."""
    _hold_first_order(engine, sample, "C6")


@contract("C6", "second-order", CHECKPOINT, Capability.HIGHER_ORDER)
def checkpoint_is_differentiated_again(engine: Backend, sample: Sample) -> None:
    """The second derivative through a checkpoint, nested or not, is that of the plain function."""
    _hold_second_order(engine, sample, "C6")


def _require_transforms(engine: Backend) -> None:
    if not engine.capabilities & {COMPILE, VECTORIZE}:
        raise Unsupported("the engine neither compiles nor vectorizes")


@contract("C10", "inside-others")
def transforms_work_inside_each_other(engine: Backend, sample: Sample) -> None:
    """A function compiled, vectorized, or both in either order has the plain gradient."""
    _require_transforms(engine)
    _hold_first_order(engine, sample, "C10")


@contract("C10", "second-order", Capability.HIGHER_ORDER)
def transforms_are_differentiated_again(engine: Backend, sample: Sample) -> None:
    """The second derivative through a compiled or vectorized function is that of the plain function."""
    _require_transforms(engine)
    _hold_second_order(engine, sample, "C10")


# ---- captured arrays --------------------------------------------------------------------------------


def _hold_captured(engine: Backend, sample: Sample, build: Function, what: str, *, is_required: bool) -> None:
    """Claim the gradients where a built function uses an array that is no operand of it: a leaf, a result, both.

    Unless it `is_required`, the engine may refuse it, or leave the gradient of what was captured out.
    """
    multiply, add = engine.op(MULTIPLY), engine.op(ADD)
    x, w, g = sample.array((9, 3)), sample.array((3,)), sample.array((9, 3))

    def function(a: Any, b: Any) -> Any:
        doubled = add(b, b)
        return build(lambda row: multiply(multiply(row, b), doubled))(a)

    given: list[Array | None] = []
    if not is_required and is_refused(lambda: given.extend(gradients_of(engine, function, [x, w], g))):
        return
    got = given or gradients_of(engine, function, [x, w], g)
    hold_equal(got[0], 2 * g * w * w, f"x's gradient of 2 w² x, w captured by {what}")
    if is_required or (got[1] is not None and got[1].any()):
        expected = (4 * g * x * w).sum(axis=0)
        hold_equal(got[1], expected, f"w's gradient of 2 w² x, w captured by {what}")
    if is_required:
        (alone,) = gradients_of(engine, lambda b: function(engine.array(np.array(x)), b), [w], g)
        hold_equal(alone, (4 * g * x * w).sum(axis=0), f"w's gradient, w captured by {what} of a constant")


@contract("C6", "captured", CHECKPOINT)
def checkpoint_sends_cotangents_to_what_it_captures(engine: Backend, sample: Sample) -> None:
    """An array that a checkpointed function uses without being its operand has its gradient."""
    nested: dict[str, Function] = {
        WORDS[CHECKPOINT]: engine.checkpoint,
        "a checkpoint in a checkpoint": lambda f: engine.checkpoint(lambda row: engine.checkpoint(f)(row)),
        "a checkpoint of a checkpoint": lambda f: engine.checkpoint(engine.checkpoint(f)),
    }
    for what, build in nested.items():
        _hold_captured(engine, sample, build, what, is_required=True)


@contract("C10", "captured")
def transform_sends_cotangents_to_what_it_captures(engine: Backend, sample: Sample) -> None:
    """An array that a compiled or vectorized function uses without being its operand has its gradient."""
    _require_transforms(engine)
    for layer, build in ((COMPILE, engine.compiled), (VECTORIZE, engine.vectorized)):
        if layer in engine.capabilities:
            _hold_captured(engine, sample, build, WORDS[layer], is_required=True)


@contract("C6", "captured-second", CHECKPOINT, Capability.HIGHER_ORDER)
def checkpoint_that_captures_is_differentiated_again(engine: Backend, sample: Sample) -> None:
    """The second derivatives through a checkpoint by its operand, and by what it captures, are those of the plain function."""
    multiply = engine.op(MULTIPLY)
    x, w, g, v = (sample.array((3,)) for _ in range(4))

    def function(a: Any, b: Any) -> Any:
        return of_engine(engine.checkpoint(lambda row: multiply(multiply(row, row), b)))(a)

    derivatives = ((2 * w * g * v, 2 * x * g * v), (2 * x * g * v, np.zeros_like(x)))
    for i, expected in enumerate(derivatives):

        def first(a: Any, b: Any, i: int = i) -> Any:
            gradient = engine.nested_vjp(function, [a, b], [engine.array(np.array(g))])[i]
            if gradient is None:  # which is not for an engine to differentiate
                raise Violation(f"{'xw'[i]}'s gradient of x²w, w captured, is None")
            return gradient

        got = gradients_reached(engine, first, [x, w], v, expected)
        for ours, right, by in zip(got, expected, "xw", strict=True):
            hold_equal(ours, right, f"the derivative by {by} of {'xw'[i]}'s gradient of x²w, w captured")


# ---- checkpoints of several operands and outputs --------------------------------------------------------


@contract("C6", "operands-and-outputs", CHECKPOINT)
def checkpoint_may_have_unused_operands_and_several_outputs(engine: Backend, sample: Sample) -> None:
    """A checkpoint's operand that is not used, or a result of ops, gets no wrong gradient; each output counts once."""
    multiply, add, total = engine.op(MULTIPLY), engine.op(ADD), full_sum(engine)
    x, w, g = (sample.array((3,)) for _ in range(3))
    first = engine.checkpoint(lambda a, b: multiply(a, a))
    both = engine.checkpoint(lambda a, b: (multiply(a, b), add(a, a)))
    three = engine.checkpoint(lambda a, b, c: multiply(multiply(a, b), c))
    graphs: dict[str, tuple[Function, Array, Array]] = {
        "one operand unused": (first, 2 * g * x, 0 * w),
        "one operand unused, which is a result": (lambda a, b: first(a, add(b, b)), 2 * g * x, 0 * w),
        "an operand that is a result": (lambda a, b: add(first(add(a, a), b), b), 8 * g * x, g),
        "three operands": (
            lambda a, b: three(b, a, add(a, a)),
            4 * g * x * w,
            2 * g * x * x,
        ),
        "two outputs": (lambda a, b: multiply(*both(a, b)), 4 * g * x * w, 2 * g * x * x),
        "two outputs, the first used twice": (
            lambda a, b: add(*(both(a, b)[0],) * 2),
            2 * g * w,
            2 * g * x,
        ),
        "two outputs, the second unused": (lambda a, b: both(a, b)[0], g * w, g * x),
        "two outputs, the first unused": (lambda a, b: both(a, b)[1], 2 * g, 0 * w),
        "two outputs, in a sum": (
            lambda a, b: add(multiply(total(both(a, b)[1]), b), both(a, b)[0]),
            2 * (g * w).sum() + g * w,
            2 * g * x.sum() + g * x,
        ),
    }
    chosen = list(graphs)[sample.seed % 4 :: 4] if engine.compiles_signatures else graphs
    for what in chosen:
        function, of_x, of_w = graphs[what]
        got = gradients_reached(engine, function, [x, w], g, (of_x, of_w))
        hold_equal(got[0], of_x, f"x's gradient of a checkpoint with {what}")
        hold_equal(got[1], of_w, f"w's gradient of a checkpoint with {what}")
