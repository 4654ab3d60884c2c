"""Gradients of several outputs, by leaves and by results on the way (B20)."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import permutations
from typing import Any

import numpy as np

from conformance.backend import Backend, Capability
from conformance.case import Array
from conformance.checks.each_member import hold_for_each
from conformance.checks.engine_calls import form_of_no_gradient, full_sum
from conformance.checks.members import Member, members, tupled
from conformance.checks.observation import Answer, hold_gradient, plain
from conformance.checks.registry import check, contract
from conformance.checks.sample import Sample
from conformance.errors import Violation
from conformance.ops.names import ADD, MULTIPLY, NEGATIVE

NEEDED = Capability.INTERMEDIATES
NAMES = ("x", "y = x²", "v = y w", "z = v y")


def _chain(engine: Backend, x: Any, w: Any) -> tuple[Any, ...]:
    """x, y = x², v = y w, z = v y: y is used in v, and beside it."""
    multiply = engine.op(MULTIPLY)
    y = multiply(x, x)
    v = multiply(y, w)
    return x, y, v, multiply(v, y)


def _slopes(x: Array, w: Array, g: Array) -> tuple[Array, ...]:
    """The gradients of z, weighted by g, by x, y, v and z itself."""
    y = x * x
    return 4 * g * y * w * x, 2 * g * y * w, g * y, g


def _hold(engine: Backend, got: Sequence[Any], expected: Sequence[Array], what: Sequence[str]) -> None:
    """Claim gradients, one for each array that was asked for."""
    if len(got) != len(expected):
        raise Violation(f"by {len(expected)} arrays there are {len(got)} gradients")
    for gradient, slope, label in zip(got, expected, what, strict=True):
        if gradient is None:
            raise Violation(f"there is no gradient (None) {label}", expected=slope)
        hold_gradient(engine, gradient, slope, f"the gradient {label}")


@check("capability", "capability intermediates", "intermediates")
def gradients_by_results_are_taken(engine: Backend, sample: Sample) -> None:
    """The gradient by a result on the way is that by what the output was computed from."""
    x, g = sample.array(), sample.array()
    add = engine.op(ADD)

    def graph(a: Any) -> Any:
        y = add(a, a)
        return (add(y, y),), (y,)

    (got,) = engine.gradients_within(graph, [np.array(x)], [np.array(g)])
    hold_gradient(engine, got, 2 * g, "the gradient of y + y by y = x + x")


@contract("B20", "any-arrays", NEEDED)
def gradient_by_a_result_does_not_end_there(engine: Backend, sample: Sample) -> None:
    """By a leaf, results on the way and the output, in any order, one of them or several, each gradient is the whole one."""
    asked = [order for count in (1, 2, 4) for order in permutations(range(4), count)]
    for order in asked[sample.seed % 2 :: 2]:
        x, w, g = (sample.array() for _ in range(3))
        slopes = _slopes(x, w, g)

        def graph(a: Any, order: tuple[int, ...] = order, w: Array = w) -> Any:
            chain = _chain(engine, a, engine.array(np.array(w)))
            return (chain[3],), tuple(chain[i] for i in order)

        got = engine.gradients_within(graph, [np.array(x)], [np.array(g)])
        named = ", ".join(NAMES[i] for i in order)
        _hold(engine, got, [slopes[i] for i in order], [f"by {NAMES[i]}, asked by {named}" for i in order])


@contract("B20", "named-twice", NEEDED)
def array_that_is_named_twice_has_its_gradient_twice(engine: Backend, sample: Sample) -> None:
    """A leaf or a result that is named twice among the arrays has the same gradient at both places."""
    x, w, g = (sample.array() for _ in range(3))
    slopes, order = _slopes(x, w, g), (1, 0, 1, 0)

    def graph(a: Any) -> Any:
        chain = _chain(engine, a, engine.array(np.array(w)))
        return (chain[3],), tuple(chain[i] for i in order)

    got = engine.gradients_within(graph, [np.array(x)], [np.array(g)])
    _hold(engine, got, [slopes[i] for i in order], [f"by {NAMES[i]}, named twice" for i in order])


@contract("B20", "several-outputs", NEEDED)
def outputs_of_one_graph_are_weighted_and_summed(engine: Backend, sample: Sample) -> None:
    """Of outputs of which one is computed from another each counts with its cotangent, in any order, one that is named twice with both."""
    for outputs in ((1, 3), (3, 1), (2, 1, 3), (3, 3), (1, 3, 1), (0, 3), (3, 0, 2)):
        x, w = sample.array(), sample.array()
        cotangents = [sample.array() for _ in outputs]
        one = np.ones_like(x)
        by_x = (one, 2 * x, 2 * x * w, 4 * x * x * x * w)  # of each by x, and by y
        by_y = (0 * one, one, w, 2 * x * x * w)

        def graph(a: Any, outputs: tuple[int, ...] = outputs, w: Array = w) -> Any:
            chain = _chain(engine, a, engine.array(np.array(w)))
            return tuple(chain[i] for i in outputs), chain[:2]

        got = engine.gradients_within(graph, [np.array(x)], [np.array(g) for g in cotangents])
        expected = [
            sum((g * slopes[i] for g, i in zip(cotangents, outputs, strict=True)), start=0 * one)
            for slopes in (by_x, by_y)
        ]
        named = ", ".join(NAMES[i] for i in outputs)
        _hold(engine, got, expected, [f"of {named} by {name}" for name in NAMES[:2]])


@contract("B20", "several-leaves", NEEDED)
def outputs_of_several_leaves(engine: Backend, sample: Sample) -> None:
    """Two outputs share a result and have leaves of their own: each leaf's gradient is of its outputs, the result's of both."""
    multiply, add = engine.op(MULTIPLY), engine.op(ADD)
    a, b, c, g, h = (sample.array() for _ in range(5))

    def graph(x: Any, y: Any, z: Any) -> Any:
        shared = multiply(x, y)
        return (add(shared, x), multiply(shared, z)), (z, shared, y, x)

    operands, cotangents = [np.array(v) for v in (a, b, c)], [np.array(v) for v in (g, h)]
    got = engine.gradients_within(graph, operands, cotangents)
    through = g + h * c
    expected = [h * a * b, through, through * a, through * b + g]
    _hold(engine, got, expected, [f"of s + x and s z, s = x y, by {name}" for name in ("z", "s", "y", "x")])


@contract("B20", "other-shapes", NEEDED)
def outputs_of_other_shapes_have_their_cotangents(engine: Backend, sample: Sample) -> None:
    """Outputs of other shapes, a number beside arrays, in any order: each counts with its own cotangent."""
    multiply, total = engine.op(MULTIPLY), full_sum(engine)
    for order in ((0, 1), (1, 0), (0, 0, 1), (1, 0, 0)):
        x = sample.array((3, 2))
        cotangents = [sample.array((3, 2) if i else ()) for i in order]

        def graph(a: Any, order: tuple[int, ...] = order) -> Any:
            square = multiply(a, a)
            made = (total(square), square)
            return tuple(made[i] for i in order), (square, a)

        got = engine.gradients_within(graph, [np.array(x)], [np.array(g) for g in cotangents])
        by_square = sum(cotangents, start=np.zeros_like(x))
        named = ", ".join(("y", "x²")[i] for i in order)
        _hold(
            engine,
            got,
            [by_square, 2 * x * by_square],
            [f"of {named}, y = Σ x², by {name}" for name in ("x²", "x")],
        )


@contract("B20", "not-reached", NEEDED)
def array_that_no_output_depends_on_has_no_gradient(engine: Backend, sample: Sample) -> None:
    """A result that comes after the output, or beside it, and a leaf that is not used have None or zeros, and the others their gradients."""
    multiply, negative = engine.op(MULTIPLY), engine.op(NEGATIVE)
    x, u, g = (sample.array() for _ in range(3))

    def graph(a: Any, b: Any) -> Any:
        y = multiply(a, a)
        after, beside = negative(y), multiply(a, b)
        return (y,), (after, a, beside, b, y)

    got = list(engine.gradients_within(graph, [np.array(x), np.array(u)], [np.array(g)]))
    whats = ("a result that comes after the output", "one beside it", "a leaf that is not used")
    for place, what in zip((0, 2, 3), whats, strict=True):
        form_of_no_gradient(engine, got[place], x, f"y = x² by {what}")
    _hold(engine, [got[1], got[4]], [2 * x * g, g], ["of y = x² by x", "of y = x² by y"])


@contract("B20", "every-op", NEEDED, is_wide=True)
def results_of_every_op_have_gradients(engine: Backend, sample: Sample) -> None:
    """By each output of any op, and by results that are its operands, gradients are what came to them."""
    negative = engine.op(NEGATIVE)

    def hold(number: int, member: Member, alone: Answer) -> None:
        function, wrt = member.function(engine), member.wrt
        leaves = [member.operands[i] for i in wrt]

        def outputs_of(arrays: Sequence[Any]) -> tuple[Any, ...]:
            given = dict(zip(wrt, arrays, strict=True))
            constants = map(engine.array, member.operands)
            return tupled(function(*(given.get(i, constant) for i, constant in enumerate(constants))))

        def whole(*arrays: Any) -> Any:
            before = [negative(negative(x)) for x in arrays]
            return tuple(map(negative, outputs_of(before))), (*before, *arrays)

        got = engine.gradients_within(whole, leaves, member.cotangents)
        right = [None if g is None else -g for g in alone.gradients]
        given = [None if g is None else plain(engine, g) for g in got]
        member.hold(given[: len(wrt)], right, "as a result on the way")
        member.hold(given[len(wrt) :], right, "as a leaf behind it")
        # One output at a time: an engine may compute others from it, through which more would come.
        for index, g in enumerate(member.cotangents):

            def one(*arrays: Any, index: int = index) -> Any:
                output = outputs_of(arrays)[index]
                return (negative(output),), (output,)

            what = f"of the negated output {index} of {member} by that output"
            _hold(engine, engine.gradients_within(one, leaves, [g]), [-g], [what])

    hold_for_each(engine, members(engine, sample), hold, first=sample.seed)


@contract("B20", "hooked", NEEDED, Capability.HOOKS)
def hook_of_a_result_that_is_asked_for_is_called(engine: Backend, sample: Sample) -> None:
    """A hook on a result is called once where its own gradient is asked for, too, and what it returns goes on to what lies before.

    The gradient by the result itself is what arrived there, or what the hook made of it.
    """
    add, multiply = engine.op(ADD), engine.op(MULTIPLY)
    for order in ((0, 1), (1, 0), (1,), (0,)):
        x, g = sample.array(), sample.array()
        seen: list[Array] = []

        def graph(a: Any, order: tuple[int, ...] = order, seen: list[Array] = seen) -> Any:
            y = multiply(a, a)

            def doubled(c: Any) -> Any:
                seen.append(plain(engine, c))
                return add(c, c)

            engine.hook(y, doubled)
            return (multiply(y, y),), tuple((a, y)[i] for i in order)

        got = engine.gradients_within(graph, [np.array(x)], [np.array(g)])
        arrived, asked = 2 * g * x * x, " and ".join("xy"[i] for i in order)
        if len(seen) > 1 or (len(seen) < 1 and 0 in order):
            raise Violation(
                f"a hook on y was called {len(seen)} times where the gradients by {asked} are asked for"
            )
        for place, gradient in zip(order, got, strict=True):
            label = f"the gradient of y², y = x² with a hook that doubles, by {'xy'[place]}, asked by {asked}"
            if place == 1 and gradient is not None and np.array_equal(plain(engine, gradient), arrived):
                continue
            hold_gradient(engine, gradient, 2 * arrived * (1 if place else 2 * x), label)
