"""Custom rules of forward mode (C5)."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from conformance.backend import Backend, Capability, Function
from conformance.case import Array
from conformance.checks.comparison import decides, hold_equal
from conformance.checks.engine_calls import (
    IntentionalError,
    hold_working,
    is_intentional,
    is_refused,
    unless_refused,
)
from conformance.checks.observation import plain
from conformance.checks.registry import contract
from conformance.checks.sample import Sample
from conformance.checks.wrappers import wrappers_of
from conformance.errors import Violation
from conformance.ops.names import ADD, MULTIPLY, NEGATIVE

SUBSETS = (
    (0, 1, 2),
    (0,),
    (1,),
    (2,),
    (0, 1),
    (0, 2),
    (1, 2),
)  # of three operands, those that have a tangent
ONE_EACH = "of another slope for each operand"


def _own_slopes(engine: Backend) -> Function:
    """The op abc, whose rule is no derivative of it: bc and a for the first two operands, 3 for the last."""
    return engine.custom_forward(
        lambda a, b, c: a * b * c,
        lambda xs, ts: ts[0] * xs[1] * xs[2] + ts[1] * xs[0] + ts[2] + ts[2] + ts[2],
    )


def _product(engine: Backend) -> Function:
    """The op ab, with its own rule."""
    return engine.custom_forward(lambda a, b: a * b, lambda xs, ts: ts[0] * xs[1] + xs[0] * ts[1])


def _ab_and_a2b(engine: Backend) -> Function:
    """The op (ab, a²b), with its own rule."""

    def pushforward(xs: Any, ts: Any) -> Any:
        (a, b), (s, t) = xs, ts
        return s * b + a * t, (s * a + a * s) * b + a * a * t

    return engine.custom_forward(lambda a, b: (a * b, a * b * a), pushforward)


def _pushed(engine: Backend, function: Function, operands: Any, tangents: Any) -> list[Array | None]:
    """The tangents of the outputs; None where there is none."""
    _, pushed = engine.jvp(function, [np.array(x) for x in operands], [np.array(t) for t in tangents])
    return [None if t is None else plain(engine, t) for t in pushed]


@contract("C5", "pushed", Capability.FORWARD_RULES, Capability.FORWARD)
def rule_of_forward_mode_gives_the_tangent(engine: Backend, sample: Sample) -> None:
    """The tangent of an op with a rule of forward mode is what the rule makes of each operand and its tangent, at each use; a constant has none."""
    op, product = _own_slopes(engine), _product(engine)
    multiply, add, negative = (engine.op(name) for name in (MULTIPLY, ADD, NEGATIVE))
    shapes = ((3,), (2, 3), ()) if not engine.compiles_signatures else ((3,),)
    for shape in shapes:
        xs, ts = ([sample.array(shape) for _ in range(3)] for _ in range(2))
        parts = ts[0] * xs[1] * xs[2], ts[1] * xs[0], 3 * ts[2]
        constants = [engine.array(np.array(value)) for value in xs]
        for subset in SUBSETS:

            def function(*given: Any, subset: Any = subset, constants: Any = constants) -> Any:
                chosen = dict(zip(subset, given, strict=True))
                return op(*(chosen.get(i, constants[i]) for i in range(3)))

            (got,) = _pushed(engine, function, [xs[i] for i in subset], [ts[i] for i in subset])
            what = f"the tangent of an op whose rule is {ONE_EACH}, of which {list(subset)} have tangents"
            hold_equal(got, np.asarray(sum(parts[i] for i in subset)), what)
    x, w, s, t = (sample.array((3,)) for _ in range(4))

    def used_twice(a: Any, b: Any) -> Any:
        z = product(negative(a), b)
        return add(product(z, b), multiply(z, a))

    of_z = -(s * w + x * t)
    (got,) = _pushed(engine, used_twice, [x, w], [s, t])
    right = of_z * w - x * w * t + of_z * x - x * w * s
    hold_equal(got, right, "the tangent of zb + za, where z = -ab, by a rule of forward mode")


@contract("C5", "pushed-outputs", Capability.FORWARD_RULES, Capability.FORWARD)
def rule_of_forward_mode_gives_each_output_its_tangent(engine: Backend, sample: Sample) -> None:
    """A rule of forward mode gives each of several outputs its own tangent, however many of them are used."""
    op, multiply = _ab_and_a2b(engine), engine.op(MULTIPLY)
    x, w, s, t = (sample.array((3,)) for _ in range(4))
    first, second = s * w + x * t, 2 * x * w * s + x * x * t
    for i, (got, right) in enumerate(zip(_pushed(engine, op, [x, w], [s, t]), (first, second), strict=True)):
        hold_equal(got, right, f"the tangent of output {i} of (ab, a²b)")
    used: dict[str, tuple[Function, Array]] = {
        "the first alone": (lambda z, _: z, first),
        "the second alone": (lambda _, z: z, second),
        "their product": (multiply, first * (x * w * x) + x * w * second),
    }
    for what, (use, right) in used.items():
        (got,) = _pushed(engine, lambda a, b, use=use: use(*op(a, b)), [x, w], [s, t])
        hold_equal(got, right, f"the tangent through (ab, a²b), of which {what} is used")


@contract("C5", "pushed-in-reverse", Capability.FORWARD_RULES, Capability.FORWARD, Capability.HIGHER_ORDER)
def rule_of_forward_mode_is_differentiated_in_reverse(engine: Backend, sample: Sample) -> None:
    """The tangent that a rule of forward mode gives has gradients, by the operands and by their tangents."""
    x, w, s, t, g = (sample.array((3,)) for _ in range(5))
    op, values = _product(engine), [np.array(value) for value in (x, w, s, t)]
    functions: dict[str, tuple[Function, tuple[Array, ...]]] = {
        "ab": (op, (g * t, g * s, g * w, g * x)),
        "a²b": (
            lambda a, b: op(op(a, b), a),
            (2 * g * (w * s + x * t), 2 * g * x * s, 2 * g * x * w, g * x * x),
        ),
    }
    for what, (function, expected) in functions.items():

        def tangent(a: Any, b: Any, p: Any, q: Any, function: Any = function) -> Any:
            return engine.nested_jvp(function, [a, b], [p, q])[0]

        pull = partial(engine.vjp, tangent, values, [np.array(g)])
        # The tangent of a²b has an op's value in it: engines that do not transpose refuse that.
        answer = pull() if what == "ab" else unless_refused(pull, engine)
        names = ("a", "b", "a's tangent", "b's tangent")
        for got, right, name in zip(answer[1], expected, names, strict=True) if answer else ():
            value = None if got is None else plain(engine, got)
            hold_equal(
                value, right, f"the gradient by {name} of the tangent of {what} by a rule of forward mode"
            )


@contract("C5", "pushed-twice", Capability.FORWARD_RULES, Capability.FORWARD, Capability.HIGHER_ORDER)
def rule_of_forward_mode_is_differentiated_forward(engine: Backend, sample: Sample) -> None:
    """The tangent that a rule of forward mode gives has a tangent, along the operands and along their tangents."""
    x, w, s, t = (sample.array((3,)) for _ in range(4))
    along = [sample.array((3,)) for _ in range(4)]
    op = _product(engine)

    def tangent(a: Any, b: Any, p: Any, q: Any) -> Any:
        return engine.nested_jvp(op, [a, b], [p, q])[0]

    parts = along[0] * t, along[1] * s, along[2] * w, along[3] * x
    for place, name in enumerate(("a", "b", "a's tangent", "b's tangent")):
        only = [value if i == place else 0 * value for i, value in enumerate(along)]
        (got,) = _pushed(engine, tangent, [x, w, s, t], only)
        hold_equal(
            got, parts[place], f"the tangent along {name} of the tangent of ab by a rule of forward mode"
        )


@contract("C5", "pulled-by-transpose", Capability.FORWARD_RULES)
def rule_of_forward_mode_is_transposed_or_refused(engine: Backend, sample: Sample) -> None:
    """The gradients of an op that has a rule of forward mode alone are refused, or right, of several outputs and of second order, too."""
    x, w, g, h = (sample.array((3,)) for _ in range(4))
    for op, what, cotangents, right in (
        (_product(engine), "ab", [g], (g * w, g * x)),
        (_ab_and_a2b(engine), "(ab, a²b)", [g, h], (g * w + 2 * h * x * w, g * x + h * x * x)),
    ):
        given = [np.array(c) for c in cotangents]
        answer = unless_refused(partial(engine.vjp, op, [np.array(x), np.array(w)], given), engine)
        for i, gradient in enumerate(answer[1] if answer else ()):
            got = None if gradient is None else plain(engine, gradient)
            hold_equal(
                got, right[i], f"operand {i}'s gradient through {what}, which has a rule of forward mode"
            )
    if Capability.HIGHER_ORDER not in engine.capabilities:
        return
    op = _product(engine)

    def first(a: Any, b: Any) -> Any:
        return engine.nested_vjp(op, [a, b], [engine.array(np.array(g))])[0]

    again = unless_refused(partial(engine.vjp, first, [np.array(x), np.array(w)], [np.array(h)]), engine)
    if again is not None:
        gradient = again[1][1]
        got = None if gradient is None else plain(engine, gradient)
        hold_equal(
            got, g * h, "the derivative by b of a's gradient through ab, which has a rule of forward mode"
        )


@contract("C5", "pushed-one-array", Capability.FORWARD_RULES)
def array_that_is_both_operands_of_a_rule_of_forward_mode(engine: Backend, sample: Sample) -> None:
    """An array that is both operands of an op with a rule of forward mode has the tangent of both places, and the gradient, or that is refused."""
    x, t, g = (sample.array((3,)) for _ in range(3))
    product, negative = _product(engine), engine.op(NEGATIVE)
    ways: dict[str, Function] = {
        "aa": lambda a: product(a, a),
        "bb, b = -a,": lambda a: (lambda b: product(b, b))(negative(a)),
    }
    for what, function in ways.items():
        if Capability.FORWARD in engine.capabilities:
            (got,) = _pushed(engine, function, [x], [t])
            hold_equal(got, 2 * t * x, f"the tangent of {what} by a rule of forward mode")
        answer = unless_refused(partial(engine.vjp, function, [np.array(x)], [np.array(g)]), engine)
        if answer is not None:
            gradient = answer[1][0]
            by_a = None if gradient is None else plain(engine, gradient)
            hold_equal(by_a, 2 * g * x, f"a's gradient through {what} which has a rule of forward mode")


@contract("C5", "pushed-wrong", Capability.FORWARD_RULES, Capability.FORWARD)
def wrong_tangents_of_a_rule_are_refused(engine: Backend, sample: Sample) -> None:
    """Too many tangents from a rule, or one of another shape than its output, are refused; None means zeros, or is refused."""
    x, t = sample.array((3,)), sample.array((3,))
    wrong: dict[str, Function] = {
        "two tangents for one output": lambda xs, ts: (ts[0], ts[0]),
        "a tangent of shape () for an output of (3,)": lambda xs, ts: ts[0] @ ts[0],
    }
    for what, pushforward in wrong.items():
        op = engine.custom_forward(lambda a: a + a, pushforward)
        if not is_refused(partial(_pushed, engine, op, [x], [t])):
            raise Violation(f"a rule of forward mode that returns {what} was not refused")
    none = engine.custom_forward(lambda a: a + a, lambda xs, ts: None)
    pushed = unless_refused(partial(_pushed, engine, none, [x], [t]))
    if pushed is not None and pushed[0] is not None:
        hold_equal(pushed[0], 0 * t, "the tangent of an op whose rule returned None")
    hold_working(engine, sample, "after the refusals")


@contract("C5", "pushed-raises", Capability.FORWARD_RULES, Capability.FORWARD)
def exception_of_a_rule_of_forward_mode_arrives(engine: Backend, sample: Sample) -> None:
    """An exception that a rule of forward mode raises reaches the caller, and the next tangent is right."""

    def raising(xs: Any, ts: Any) -> Any:
        raise IntentionalError("a rule of forward mode")

    x, w, s, t = (sample.array((3,)) for _ in range(4))
    broken = engine.custom_forward(lambda a: a + a, raising)
    try:
        _pushed(engine, broken, [x], [s])
    except Exception as error:
        if not is_intentional(error):
            raise
        decides(True)
    else:
        raise Violation("the exception that a rule of forward mode raised did not reach the caller")
    (got,) = _pushed(engine, _product(engine), [x, w], [s, t])
    hold_equal(got, s * w + x * t, "the tangent of ab after a rule that raised")


@contract("C5", "pushed-slope", Capability.FORWARD_RULES, Capability.FORWARD)
def rule_of_forward_mode_is_used_in_every_wrapper(engine: Backend, sample: Sample) -> None:
    """A rule of forward mode that is no derivative is used in checkpointed, compiled and vectorized functions, unless that is refused."""
    op = _own_slopes(engine)
    ways = wrappers_of(engine)
    for what, make in ways[sample.seed % len(ways) :][:1] if engine.compiles_signatures else ways:
        x, t = ([sample.array((3,)) for _ in range(3)] for _ in range(2))
        function = make(lambda a, b, c: op(a, b, c))
        pushed = unless_refused(partial(_pushed, engine, function, x, t))
        if pushed is not None:
            right = t[0] * x[1] * x[2] + t[1] * x[0] + 3 * t[2]
            hold_equal(pushed[0], right, f"the tangent of an op whose rule is {ONE_EACH}, {what}")
