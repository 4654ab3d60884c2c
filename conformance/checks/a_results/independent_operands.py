"""Operands without a path to the output (A13, A14), or with two through one call (A20)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from itertools import permutations
from typing import Any

import numpy as np

from conformance.backend import Backend, Capability, Function, restricted
from conformance.case import Array, Case
from conformance.checks.comparison import Comparison, decides, decisions, hold_close, hold_equal
from conformance.checks.e_values.forward_mode import hold_along
from conformance.checks.e_values.second_order import SecondOrderCase, has_curvature, reverse_over_reverse
from conformance.checks.engine_calls import (
    Gradients,
    full_sum,
    gradients_of,
    hold_no_gradient,
    unless_refused,
)
from conformance.checks.observation import Observation, Oracle, hold_gradient, plain
from conformance.checks.registry import DOUBLE, NotThisCase, contract, declared_convention, op_check
from conformance.checks.sample import Sample
from conformance.op import Op, OperandKind, Trait
from conformance.ops.names import ADD, MATMUL, MULTIPLY, SUBTRACT
from conformance.oracle.second_order import expected_hessian_vector_products, is_smooth
from conformance.values import direction

ALIKE = frozenset({OperandKind.REAL, OperandKind.DISTINCT})  # kinds of which two operands can be one array
CLEAR = 2.0**12  # times what is allowed: a sum in which more cancels decides nothing
ROUNDINGS = 16  # units in the last place of the largest entry


@contract("A13", "unused-operand")
def operand_that_the_output_does_not_depend_on(engine: Backend, sample: Sample) -> None:
    """An operand that the output does not depend on gets zeros, None or an error, as declared."""
    convention = declared_convention(engine, "A13")
    x, w, g = (sample.array() for _ in range(3))
    multiply = engine.op(MULTIPLY)

    def unused(a: Any, b: Any) -> Any:
        return multiply(a, a)

    def discarded(a: Any, b: Any) -> Any:
        multiply(a, b)
        return multiply(a, a)

    for function, what in ((unused, "an operand that is not used"), (discarded, "one whose product is not")):
        for call, cotangent in zip(_calls(engine, function, [x, w], g), (g, np.ones_like(g)), strict=True):
            gradients = hold_no_gradient(engine, convention, call, w, 1, what)
            if gradients is not None:
                hold_gradient(engine, gradients[0], 2 * cotangent * x, f"x's gradient beside {what}")
    if Capability.HIGHER_ORDER in engine.capabilities:
        zeros = np.zeros((2, 3, 1), x.dtype)
        arrays, upstream = [engine.array(np.array(a)) for a in (x, zeros)], engine.array(np.array(g))
        found = unless_refused(partial(engine.nested_vjp, unused, arrays, [upstream]), engine)
        if found is not None and found[1] is not None:
            what = "the gradient, as a value, of an operand that is not used"
            hold_equal(plain(engine, found[1]), zeros, what)


@contract("A14", "constant-output")
def output_that_depends_on_nothing(engine: Backend, sample: Sample) -> None:
    """For an output that depends on no operand the gradient is zeros, None or refused, as declared."""
    convention = declared_convention(engine, "A14")
    x, c, g = (sample.array() for _ in range(3))
    for function, what in _constants(engine, c):
        for call in _calls(engine, function, [x], g):
            hold_no_gradient(engine, convention, call, x, 0, what)


def _calls(
    engine: Backend, function: Function, operands: Sequence[Array], g: Array
) -> tuple[Gradients, Gradients]:
    """Two gradient calls of a function: with the cotangent `g`, and of its sum without one."""
    total = full_sum(engine)
    return (
        lambda: engine.vjp(function, [np.array(x) for x in operands], [np.array(g)])[1],
        lambda: engine.gradient(lambda *xs: total(function(*xs)), [np.array(x) for x in operands]),
    )


def _constants(engine: Backend, value: Array) -> Iterator[tuple[Function, str]]:
    """Functions whose outputs are constants, each with a name for its output."""
    multiply, constant = engine.op(MULTIPLY), engine.array(np.array(value))
    yield lambda a: constant, "a constant"
    yield lambda a: multiply(constant, constant), "a product of constants"
    if Capability.CUSTOM_RULE in engine.capabilities:
        double = engine.custom(lambda a: a + a, lambda g, a: (g + g,))
        yield lambda a: double(constant), "a constant by a custom rule"
    if Capability.SEVERAL_OUTPUTS in engine.capabilities:
        both = engine.custom_by_operand(
            lambda a, b: (a + b, a * b), lambda i, g, xs, zs: g[0] + g[1] * xs[1 - i]
        )
        yield lambda a: both(constant, constant)[1], "a constant by a rule with two outputs"
    if Capability.CHECKPOINTING in engine.capabilities:
        squared = engine.checkpoint(lambda a: multiply(a, a))
        yield lambda a: squared(constant), "a constant by a checkpoint"
    if Capability.DETACH in engine.capabilities:
        yield lambda a: engine.detach(multiply(a, a)), "a detached value"


def _has_alike_operands(op: Op) -> bool:
    alike = [domain for domain in op.domains if domain.kind in ALIKE]
    return len(alike) > 1 or (Trait.VARIADIC in op.traits and bool(alike))


@op_check(
    *("A20", "one-array"),
    applies=_has_alike_operands,
    once_per_signature=True,
    compiles=True,
    calls_anew=True,
    dtypes=DOUBLE,
)
def array_in_two_places_has_the_gradients_of_both(seen: Observation) -> None:
    """An array that is two operands of an op has the sum of the gradients of two equal arrays, also where these meet a kink."""
    backend, places = seen.backend, _shared_places(seen)
    x = seen.case.operands[places[0]]
    operands = [np.array(x if i in places else other) for i, other in enumerate(seen.case.operands)]
    apart = seen.vjp(operands=operands).gradients
    at = [seen.wrt.index(i) for i in places]
    if any(apart[position] is None for position in at):
        raise NotThisCase("the engine gives no gradient here")
    function, constants = backend.call(seen.op.name, seen.case.parameters), [*map(backend.array, operands)]

    def of_one(a: Any) -> Any:
        return function(*(a if i in places else constant for i, constant in enumerate(constants)))

    cotangents = [np.array(g) for g in seen.case.cotangents]
    _, (together,) = backend.vjp(of_one, [np.array(x)], cotangents)
    parts = [np.asarray(apart[position]) for position in at]
    total = parts[0] + parts[1]
    if not np.isfinite(total).all():
        raise NotThisCase("the gradients are not finite where the operands are equal")
    # Engines add up what a composed op sends to both places in another order.
    size = np.abs(parts).max(initial=np.finfo(x.dtype).tiny)
    allowed = np.full(total.shape, ROUNDINGS * np.spacing(size, dtype=x.dtype), np.longdouble)
    if all(seen.op.domain(i).kind is OperandKind.REAL for i in places):
        allowed += sum(seen.allowed_for(operands=operands)[position] for position in at)
    got = None if together is None else plain(backend, together)
    with decisions():
        hold_close(got, total, allowed, f"the gradient of one array as operands {places[0]} and {places[1]}")
    decides((np.abs(total) > CLEAR * allowed).any())


def _shared_places(seen: Observation) -> tuple[int, int]:
    """Two operands of one shape and kind, the first of which is in the domain of the other; NotThisCase where there are none.

    Of several pairs the next at each number of entries, so that those that are not neighbours have their turn.
    """
    pairs = []
    for i, j in permutations(seen.wrt, 2):
        x, domains = seen.case.operands[i], [seen.op.domain(k) for k in (i, j)]
        is_alike = x.shape == seen.case.operands[j].shape and domains[0].kind is domains[1].kind
        if (
            is_alike
            and x.size
            and domains[0].kind in ALIKE
            and domains[1].low <= x.min() <= x.max() <= domains[1].high
        ):
            pairs.append((i, j))
    if not pairs:
        raise NotThisCase("no two operands can be one array")
    return pairs[sum(x.size for x in seen.case.operands) % len(pairs)]


def _is_curved_in_alike_operands(op: Op) -> bool:
    return _has_alike_operands(op) and has_curvature(op)


@op_check(
    *("A20", "one-array-second-order", Capability.HIGHER_ORDER),
    applies=_is_curved_in_alike_operands,
    once_per_signature=True,
    compiles=True,
    calls_anew=True,
    dtypes=DOUBLE,
)
def array_in_two_places_has_the_second_derivative_of_both(seen: Observation) -> None:
    """The second derivative by an array that is two operands is the sum of those by two equal arrays."""
    backend, (equal, places) = seen.backend, _equal_in_two_places(seen)
    x = equal.operands[places[0]]
    along = direction(seen.op.domain(places[0]), x.shape, equal.dtype, np.random.default_rng(x.size))
    directions = [along, along]
    bounds = expected_hessian_vector_products(seen.op, equal, places, directions, seen.perturbations)
    exact, enough = bounds[0].exact + bounds[1].exact, bounds[0].allowed + bounds[1].allowed
    if not (np.abs(exact) > CLEAR * enough).any():
        raise NotThisCase("where the operands are equal, the second derivative is zero, or cancels")
    function = restricted(
        backend.call(seen.op.name, equal.parameters), [*map(backend.array, equal.operands)], places
    )
    apart = SecondOrderCase(backend, function, [x, x], directions, equal.cotangents)
    parts = [np.zeros_like(x) if part is None else part for part in reverse_over_reverse(apart)]
    together = replace(apart, function=lambda a: function(a, a), operands=[x], directions=[along])
    (got,) = reverse_over_reverse(together)
    total = parts[0] + parts[1]
    size = np.abs(parts).max(initial=np.finfo(x.dtype).tiny)
    if not np.isfinite(total).all():
        raise NotThisCase("the second derivatives are not finite where the operands are equal")
    allowed = 2 * enough + ROUNDINGS * np.spacing(size, dtype=x.dtype)
    hold_close(
        got, total, allowed, f"the second derivative by one array as operands {places[0]} and {places[1]}"
    )


@op_check(
    *("A20", "one-array-forward", Capability.FORWARD),
    applies=_has_alike_operands,
    once_per_signature=True,
    compiles=True,
    calls_anew=True,
    dtypes=DOUBLE,
)
def array_in_two_places_has_the_tangent_of_both(seen: Observation) -> list[Comparison]:
    """In forward mode an array that is two operands has the tangent of two equal arrays, which is that of the rule."""
    backend, (equal, places) = seen.backend, _equal_in_two_places(seen)
    x = equal.operands[places[0]]
    arrays = [*map(backend.array, map(np.array, equal.operands))]
    function = restricted(backend.call(seen.op.name, equal.parameters), arrays, places)

    def push(along: Sequence[Array]) -> list[Array]:
        _, tangents = backend.jvp(lambda a: function(a, a), [np.array(x)], [np.array(along[0])])
        return [
            np.zeros_like(g) if t is None else plain(backend, t)
            for g, t in zip(equal.cotangents, tangents, strict=True)
        ]

    apart = Observation(backend, Oracle(seen.op, equal, seen.perturbations))
    name = f"the tangent of one array as operands {places[0]} and {places[1]}"
    return hold_along(apart, push, name, at_least=CLEAR, is_one=True)


def _equal_in_two_places(seen: Observation) -> tuple[Case, tuple[int, int]]:
    """The case with equal operands in two places, which alone have gradients; NotThisCase where these have no slope."""
    places = _shared_places(seen)
    x = seen.case.operands[places[0]]
    operands = tuple(x if i in places else other for i, other in enumerate(seen.case.operands))
    equal = replace(seen.case, operands=operands, wrt=places)
    along = direction(seen.op.domain(places[0]), x.shape, equal.dtype, np.random.default_rng(x.size))
    # The rule of a linear op does not look at its operands, so that there is nothing in it to be analytic.
    is_linear = seen.op.is_piecewise_linear and all(
        seen.op.domain(i).kind is OperandKind.REAL for i in places
    )
    if not is_linear and not is_smooth(seen.op, equal, places, [along, along]):
        raise NotThisCase("where the operands are equal, the rule is not analytic")
    return equal, places


@contract("A20", "named-twice")
def operand_named_twice_in_one_call(engine: Backend, sample: Sample) -> None:
    """An operand named twice in one call receives the sum of what both places receive."""
    x, g = sample.array((3, 3)), sample.array((3, 3))
    sums = {
        ADD: 2 * g,
        SUBTRACT: np.zeros_like(x),
        MULTIPLY: 2 * g * x,
        MATMUL: g @ x.T + x.T @ g,
    }
    for name, expected in sums.items():
        op = engine.op(name)
        (got,) = gradients_of(engine, lambda a, op=op: op(a, a), [x], g)
        hold_equal(got, expected, f"the gradient of {name}(x, x)")
