"""Chapter E: forward mode over forward mode, gradients by their cotangents, and gradients three deep (E4)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from conformance.backend import Backend, Capability, Function
from conformance.case import Array, Case
from conformance.checks.comparison import Comparison, decisions, hold_close, hold_equal, hold_within
from conformance.checks.e_values.forward_mode import hold_along
from conformance.checks.e_values.invariances import CLEARLY, Term, would_show
from conformance.checks.e_values.second_order import (
    BOTH_MODES,
    ORDERS,
    SecondOrderCase,
    by_order,
    expected_along_directions,
    expected_of,
    has_curvature,
    pushed,
)
from conformance.checks.engine_calls import gradients_of
from conformance.checks.members import custom_product
from conformance.checks.observation import Observation, Oracle, hold_gradient, hold_gradients, plain
from conformance.checks.registry import DOUBLE, NotThisCase, contract, op_check
from conformance.checks.sample import Sample
from conformance.errors import Unsupported, Violation
from conformance.kept import kept
from conformance.op import Op, Trait
from conformance.ops.names import EXP, MULTIPLY, SIN, SPLIT, TANH
from conformance.oracle.allowance import ULPS, Expected, of_operands
from conformance.oracle.second_order import third_derivatives
from conformance.values import cotangent

# Times what is allowed: a sum in which more cancels decides nothing, where another direction may.
CLEAR = 2.0**12
# Roundings of the largest third derivative, or of one, by which an engine's may differ: a wrong one differs by much more.
THIRDS = 2.0**28
SURE = 16  # times how far two differences are apart
CLEARLY_THIRD = 2.0**10  # times what is allowed
ROUNDINGS = 256  # of the largest term, by which the derivatives of tanh and of sin x eˣ may differ


@op_check("E4", "forward-over-forward", *BOTH_MODES, applies=has_curvature, sparing=True)
def tangent_of_the_tangent_is_the_second_derivative(seen: Observation) -> list[Comparison]:
    """The tangent of the tangent is the second derivative along the direction: ⟨g, f″[u, u]⟩ = ⟨u, derivative of the VJP⟩."""
    directions, expected = expected_along_directions(seen)
    case = SecondOrderCase.of(seen, directions)
    tangents = by_order(seen, case, forward_over_forward, len(ORDERS))
    pairs = [
        (t.astype(np.longdouble), g)
        for t, g in zip(tangents, seen.case.cotangents, strict=True)
        if t is not None
    ]
    terms = [t * g for t, g in pairs]
    got = sum((term.sum() for term in terms), start=np.longdouble(0))
    exact, allowed = (
        sum((np.sum(v) for v in values), start=np.longdouble(0))
        for values in zip(
            *(
                (u * bound.exact, np.abs(u) * bound.allowed)
                for u, bound in zip(directions, expected, strict=True)
            ),
            strict=True,
        )
    )
    if not abs(exact) > allowed:
        raise NotThisCase("the second derivative along the direction is zero")
    unit = np.finfo(seen.case.operands[seen.wrt[0]].dtype).eps
    size = sum((np.abs(term).sum() for term in terms), start=np.longdouble(0))
    if np.isfinite(size):  # of a wrong answer, which may allow itself nothing
        allowed += ULPS * unit * size
    bound = Expected(np.asarray(exact), np.asarray(allowed), np.asarray(abs(exact) * unit))
    compared = hold_within(np.asarray(got), bound, "the second derivative along a direction", claim="differs")
    clear = CLEAR * allowed
    if abs(exact) < clear or not would_show([Term(t, g, clear / CLEARLY, 1.0) for t, g in pairs]):
        raise NotThisCase("the second derivative along the direction cancels, or hides its largest entry")
    return [compared]


@op_check("E4", "by-cotangent", Capability.HIGHER_ORDER, compiles=True, once_per_signature=True)
def gradient_is_differentiated_by_its_cotangent(seen: Observation) -> list[Comparison]:
    """The gradient of ⟨u, Jᵀg⟩ by the cotangent g is Ju, also of an op whose gradient depends on nothing else."""
    seen = _of_dense_cotangents(seen)
    if not _is_right(seen):
        raise NotThisCase("the gradient itself is wrong here, which other checks report")
    name = "the derivative of ⟨u, Jᵀg⟩ by g"
    # An engine may raise where a gradient depends on no cotangent.
    return hold_along(seen, lambda along: _by_cotangents(seen, along), name, at_least=1)


def _of_dense_cotangents(seen: Observation) -> Observation:
    """The case with cotangents that are nowhere zero, which weigh all entries of what is compared as one sum."""
    if all(g.all() for g in seen.case.cotangents):
        return seen
    rng = np.random.default_rng(len(seen.case.label))
    dense = tuple(cotangent(g.shape, seen.case.dtype, "signed", rng) for g in seen.case.cotangents)
    case = replace(seen.case, cotangents=dense)
    return Observation(seen.backend, Oracle(seen.op, case, seen.perturbations))


def _is_right(seen: Observation) -> bool:
    """Whether the gradients of the case are those of the oracle."""
    try:
        with decisions():  # which are those of another question
            hold_gradients(seen)
    except Violation:
        return False
    return True


def _by_cotangents(seen: Observation, along: Sequence[Array]) -> list[Array]:
    """What an engine's gradient of its gradients by their cotangents is; zeros where it is None."""
    case = SecondOrderCase.of(seen, along)

    def gradients(*cotangents: Any) -> tuple[Any, ...]:
        return case.backend.nested_vjp(case.function, case.engines(case.operands), cotangents)

    cotangents = [np.array(g) for g in seen.case.cotangents]
    found = case.backend.gradient(case.weighed(gradients, along), cotangents)
    return [
        np.zeros_like(g) if t is None else plain(case.backend, t)
        for g, t in zip(cotangents, found, strict=True)
    ]


def forward_over_forward(case: SecondOrderCase) -> list[Array | None]:
    """The tangents' tangents, along the same directions."""
    return pushed(case, case.tangents, len(case.cotangents))


def _has_third(op: Op) -> bool:
    return has_curvature(op) and Trait.QUADRATIC not in op.traits


@op_check(
    "E4",
    "third-order",
    Capability.HIGHER_ORDER,
    applies=_has_third,
    sparing=True,
    dtypes=DOUBLE,
)
def gradient_three_deep_is_the_second_derivative_of_the_vjp(seen: Observation) -> None:
    """The gradient of the gradient of the gradient is the second derivative of the reference VJP along a direction."""
    directions, _ = expected_along_directions(seen)
    exact, errors = _thirds_of(seen.op, seen.case, tuple(seen.wrt), seen.perturbations)
    size = np.max([np.abs(third).max(initial=0) for third in exact])
    unit = np.finfo(seen.case.dtype).eps * THIRDS * np.maximum(size, 1)
    allowed = [SURE * error.max(initial=0) + unit for error in errors]
    if not all(bound < size / CLEARLY_THIRD for bound in allowed):
        raise NotThisCase("the third derivative is zero, or the differences do not say what it is")
    case = SecondOrderCase.of(seen, directions)
    one = case.engines([np.ones((), seen.case.dtype)])

    def seconds(*variables: Any) -> tuple[Any, ...]:
        return case.backend.nested_vjp(case.weighed(case.gradients, case.directions), variables, one)

    found = case.backend.gradient(case.weighed(seconds, directions), case.operands)
    bounds = [
        Expected(third, np.full(third.shape, bound, np.longdouble), np.full(third.shape, unit))
        for third, bound in zip(exact, allowed, strict=True)
    ]
    for position, (got, expected) in enumerate(
        zip(found, of_operands(seen.op, seen.wrt, bounds), strict=True)
    ):
        hold_within(
            None if got is None else plain(case.backend, got),
            expected,
            f"the second derivative of {seen.label(position)}",
            claim="differs from that of the reference VJP",
        )


@kept()
def _thirds_of(
    op: Op, case: Case, wrt: tuple[int, ...], perturbations: int
) -> tuple[list[Array], list[Array]]:
    """The third derivatives along the directions of the second ones, and estimates of their errors."""
    directions, _ = expected_of(op, case, wrt, perturbations)
    return third_derivatives(op, case, wrt, directions)


@contract("E4", "by-tangent", Capability.HIGHER_ORDER, Capability.FORWARD)
def tangent_is_differentiated_by_operands_and_tangents(engine: Backend, sample: Sample) -> None:
    """The tangent of x²y along (s, t), 2xys + x²t, has its derivatives by each of x, y, s and t."""
    multiply = engine.op(MULTIPLY)
    x, y, s, t, g = (sample.array() for _ in range(5))

    def tangent(*arrays: Any) -> Any:
        return engine.nested_jvp(lambda a, b: multiply(multiply(a, a), b), arrays[:2], arrays[2:])[0]

    expected = {"x": 2 * (y * s + x * t), "y": 2 * x * s, "s": 2 * x * y, "t": x * x}
    got = gradients_of(engine, tangent, [x, y, s, t], g)
    for ours, (by, slope) in zip(got, expected.items(), strict=True):
        hold_equal(ours, g * slope, f"the derivative by {by} of the tangent of x²y along (s, t)")


@contract("E4", "three-deep", Capability.HIGHER_ORDER)
def gradients_three_deep_are_right(engine: Backend, sample: Sample) -> None:
    """A gradient within two others is the third derivative, and its gradient the fourth: of x⁴, also by custom rules, of tanh and sin x eˣ."""
    functions = _functions(engine)
    # Below 1 no term is large.
    points = [sample.scalar(float(sample.rng.integers(2, 7)) / 8) for _ in functions]
    one = sample.scalar(1.0)

    def differentiated(function: Function) -> Function:
        def derivative(x: Any) -> Any:
            gradient = engine.nested_vjp(function, [x], [engine.array(np.array(one))])[0]
            if gradient is None:
                raise Violation("the gradient of a gradient is None")
            return gradient

        return derivative

    def thirds(*xs: Any) -> tuple[Any, ...]:
        return tuple(
            differentiated(differentiated(differentiated(function)))(x)
            for (function, _), x in zip(functions.values(), xs, strict=True)
        )

    cotangents = [3 * sample.array(()) for _ in points]  # none is one
    outputs, gradients = engine.vjp(thirds, [np.array(x) for x in points], [np.array(g) for g in cotangents])
    for (what, (_, exact)), x, g, third, fourth in zip(
        functions.items(), points, cotangents, outputs, gradients, strict=True
    ):
        of_third, of_fourth = exact(x)
        for order, got, right in (("third", third, of_third), ("fourth", fourth, g * of_fourth)):
            ours = None if got is None else plain(engine, got)
            expected = np.asarray(right, x.dtype)
            said = f"the {order} derivative of {what} at {x}"
            if what.startswith("x⁴"):
                hold_equal(ours, expected, said)
            else:
                unit = ROUNDINGS * np.finfo(x.dtype).eps * np.maximum(1, np.abs(g)) * np.exp(1)
                hold_close(ours, expected, np.asarray(unit, np.longdouble), said)


def _functions(engine: Backend) -> dict[str, tuple[Function, Callable[[Array], tuple[Any, Any]]]]:
    """By what they are, functions of one number, and their third and fourth derivatives."""
    multiply = engine.op(MULTIPLY)

    def fourth_power(product: Function) -> Function:
        return lambda x: product(product(product(x, x), x), x)

    def of_tanh(x: Array) -> tuple[Any, Any]:
        t = np.tanh(x.astype(np.longdouble))
        rest = 1 - t * t
        return -2 * rest * (1 - 3 * t * t), 8 * t * (2 - 3 * t * t) * rest

    def of_sin_exp(x: Array) -> tuple[Any, Any]:
        wide = x.astype(np.longdouble)
        return 2 * np.exp(wide) * (np.cos(wide) - np.sin(wide)), -4 * np.exp(wide) * np.sin(wide)

    made = {"x⁴": (fourth_power(multiply), lambda x: (24 * x, 24 + 0 * x))}
    if Capability.CUSTOM_RULE in engine.capabilities:
        made["x⁴ by a custom rule"] = (fourth_power(custom_product(engine)), made["x⁴"][1])
    if TANH in engine.ops:
        made[TANH] = (engine.op(TANH), of_tanh)
    if {SIN, EXP} <= set(engine.ops):
        sine, exponential = engine.op(SIN), engine.op(EXP)
        made["sin x eˣ"] = (lambda x: multiply(sine(x), exponential(x)), of_sin_exp)
    return made


@contract("E4", "parts", Capability.HIGHER_ORDER)
def gradient_by_parts_of_one_op_is_differentiated(engine: Backend, sample: Sample) -> None:
    """The gradient of u² v, u and v being the parts that one op makes of an array, either first, is differentiated by each."""
    if SPLIT not in engine.ops:
        raise Unsupported(f"the adapter names no {SPLIT}")
    multiply, parts = engine.op(MULTIPLY), engine.call(SPLIT, {"indices_or_sections": 2, "axis": 0})
    for squared in range(2):
        x, g = sample.array((6,)), sample.array((6,))

        def function(a: Any, squared: int = squared) -> Any:
            halves = parts(a)
            return multiply(multiply(halves[squared], halves[squared]), halves[1 - squared])

        def first(a: Any, function: Function = function) -> Any:
            return engine.nested_vjp(function, [a], [engine.array(np.ones(3, sample.dtype))])[0]

        (value,), (got,) = engine.vjp(first, [np.array(x)], [np.array(g)])
        (u, v), (gu, gv) = np.split(x, 2)[:: 1 - 2 * squared], np.split(g, 2)[:: 1 - 2 * squared]
        slopes, second = (2 * u * v, u * u), (2 * v * gu + 2 * u * gv, 2 * u * gu)
        named = f"u² v, u being part {squared} of an array"
        hold_equal(
            plain(engine, value), np.concatenate(slopes[:: 1 - 2 * squared]), f"the gradient of {named}"
        )
        right = np.concatenate(second[:: 1 - 2 * squared])
        hold_gradient(engine, got, right, f"the derivative of the gradient of {named}")
