"""What is used several times: operands of every op, outputs of every op (B1)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import reduce
from typing import Any

import numpy as np

from conformance.backend import Backend, Capability, Function
from conformance.case import Array, Case
from conformance.checks.comparison import hold_close, hold_within
from conformance.checks.each_member import hold_for_each
from conformance.checks.engine_calls import full_sum
from conformance.checks.members import (
    Member,
    built_members,
    calls_where,
    gradients_in,
    members,
    tupled,
    weighted,
)
from conformance.checks.observation import Answer, Oracle, plain
from conformance.checks.registry import NotThisCase, contract
from conformance.checks.sample import Sample
from conformance.checks.wrappers import wrappers_of
from conformance.op import Domain, OperandKind
from conformance.ops import CATALOGUE
from conformance.ops.names import ADD, MULTIPLY, NEGATIVE
from conformance.oracle.allowance import ULPS


@contract("B1", "output-uses", is_wide=True)
def outputs_of_every_op_may_be_used_any_number_of_times(engine: Backend, sample: Sample) -> None:
    """An output used k times receives k contributions; one of several outputs may be used as another is not."""

    def hold(number: int, member: Member, alone: Answer) -> None:
        count, function = len(member.cotangents), member.function(engine)
        # One output: used twice, or four times. Several: one of them not at all, the next once, then twice …
        several = [[(first + i) % 3 for i in range(count)] for first in range(3)]
        # What an unused output alone depends on is not asked of an engine that refuses it.
        if engine.conventions.get("A13") == "refused":
            several = [[1 + times for times in uses] for uses in several]
        for uses in several if count > 1 else [[2 ** (1 + number % 2)]]:
            _hold_uses(engine, sample, member, function, uses)

    hold_for_each(engine, members(engine, sample), hold, first=sample.seed)


def _hold_uses(engine: Backend, sample: Sample, member: Member, function: Function, uses: list[int]) -> None:
    """Claim the gradients where each output is used so often: those for the cotangents times the uses."""
    add = engine.op(ADD)

    def graph(operands: Any, weights: Any) -> Any:
        outputs, terms = tupled(function(*operands)), []
        for repetition in range(max(uses)):
            used = [i for i, k in enumerate(uses) if repetition < k]
            terms.append(weighted(engine, [weights[i] for i in used], [outputs[i] for i in used]))
        return reduce(add, terms)

    got, _ = gradients_in(engine, member, graph, member.cotangents)
    multiplied = [k * g for k, g in zip(uses, member.cotangents, strict=True)]
    _, expected = engine.vjp(function, member.operands, multiplied, member.wrt)
    right = [None if g is None else plain(engine, g) for g in expected]
    what, scale = f"used {', '.join(map(str, uses))} times", sample.scalar(1 / max(uses))
    scaled = [[g if g is None else g * scale for g in given] for given in (got, right)]
    member.hold(scaled[0], scaled[1], what)


@contract("B1", "operand-uses", is_wide=True)
def operands_of_every_op_may_be_used_elsewhere_too(engine: Backend, sample: Sample) -> None:
    """An operand of any op that is used before it and after it, too, receives the contributions of all its uses."""
    add, multiply, total = engine.op(ADD), engine.op(MULTIPLY), full_sum(engine)

    def hold(number: int, member: Member, alone: Answer) -> None:
        function, dtype = member.function(engine), member.case.dtype
        zero = engine.array(np.zeros((), dtype))

        def elsewhere(arrays: Any, weight: float) -> Any:
            """The weight times the sum of the entries of all that have a gradient."""
            factor = engine.array(np.full((), weight, dtype))
            return reduce(add, [total(multiply(factor, arrays[i])) for i in member.wrt])

        def graph(operands: Any, weights: Any) -> Any:
            # Leaves in every other op, results of an op in the others.
            used = [add(x, zero) if number % 2 and i in member.wrt else x for i, x in enumerate(operands)]
            before = elsewhere(used, 1.0)
            here = weighted(engine, weights, function(*used))
            return add(add(before, here), elsewhere(used, 2.0))

        got, _ = gradients_in(engine, member, graph, member.cotangents)
        # Not `alone`, which has the gradient of a symmetric matrix in both triangles.
        _, of_this_use = engine.vjp(function, member.operands, member.cotangents, member.wrt)
        single_use = [None if g is None else plain(engine, g) for g in of_this_use]
        for position, (ours, single) in enumerate(zip(got, single_use, strict=True)):
            x = member.case.operands[member.wrt[position]]
            right = x.dtype.type(3) + (np.zeros_like(x) if single is None else single)
            rounding = np.spacing(np.abs(right) + x.dtype.type(3)).astype(np.longdouble)
            allowed = 2 * member.oracle.expected[position].allowed + ULPS * rounding
            label = (
                f"the gradient of operand {member.wrt[position]} of {member}, which is used elsewhere too,"
            )
            hold_close(ours, right, allowed, label)

    hold_for_each(engine, members(engine, sample), hold, first=sample.seed)


@contract("B1", "same-operand-twice", is_wide=True)
def operands_of_every_op_may_be_the_same_or_equal(engine: Backend, sample: Sample) -> None:
    """An array that is several operands of one op, or built function, receives all their gradients; equal arrays each their own.

    Where equal operands meet a kink, the gradient is what the engine gives to equal arrays, added.
    """
    at_kinks = calls_where(engine, sample, _meets_a_kink)

    def hold(number: int, member: Member, alone: Answer) -> None:
        claim = _hold_sum if any(member is other for other in at_kinks) else _hold_each
        claim(engine, _with_equal_operands(member))

    elsewhere = calls_where(engine, sample, _takes_equal_operands)
    hold_for_each(engine, [*elsewhere, *built_members(engine, sample), *at_kinks], hold)


def _meets_a_kink(case: Case) -> bool:
    """Whether all operands of a case may be one array, but for a kink where they are equal."""
    kinds = {domain.kind for domain in _domains(case)}
    return (
        len(case.operands) > 1
        and kinds == {OperandKind.DISTINCT}
        and len({x.shape for x in case.operands}) == 1
    )


def _takes_equal_operands(case: Case) -> bool:
    """Whether all operands of a case may be one array: of one shape, of real numbers, in the domain of each.

    Where domains lie apart, equal operands meet a kink or a jump: a distance of 0, or a quotient of 1 that is rounded down.
    """
    domains = _domains(case)
    return (
        len(domains) > 1
        and len({x.shape for x in case.operands}) == 1
        and all(domain.kind is OperandKind.REAL for domain in domains)
        and all(domain.low <= bound <= domain.high for domain in domains for bound in _range(_shared(case)))
    )


def _with_equal_operands(member: Member) -> Member:
    """The call with one of its operands everywhere."""
    same = replace(member.case, operands=(_shared(member.case),) * len(member.case.operands))
    return Member(Oracle(member.op, same), member.family, member.make)


def _shared(case: Case) -> Array:
    """The operand of the narrowest domain."""
    domains = _domains(case)
    narrowest = min(range(len(domains)), key=lambda i: domains[i].high - domains[i].low)
    if domains[narrowest].low == -np.inf:
        narrowest = min(range(len(domains)), key=lambda i: -domains[i].low)
    return case.operands[narrowest]


def _domains(case: Case) -> list[Domain]:
    return [CATALOGUE[case.op].domain(i) for i in range(len(case.operands))]


def _range(x: Array) -> tuple[Any, Any]:
    return (x.min(), x.max()) if x.size else (0, 0)


def _hold_each(engine: Backend, member: Member) -> None:
    """Claim the gradients of equal leaves, then that of one array in all their places."""
    gradients = member.answer(engine).gradients
    for index, (got, expected) in enumerate(zip(gradients, member.oracle.expected, strict=True)):
        given = np.zeros_like(member.operands[0]) if got is None else got
        hold_within(
            given, expected, f"the gradient of operand {index} of {member}, all operands being equal,"
        )
    # An engine that composes the op adds the contributions of all its parts in another order, and they may cancel.
    _hold_sum(engine, member, sum(expected.allowed for expected in member.oracle.expected))


def _hold_sum(engine: Backend, member: Member, rounding: Any = None) -> None:
    """Claim that one array in all places of a call has the sum of the gradients of equal leaves.

    At a kink, where no `rounding` is known, the gradient may be NaN, and is not compared.
    """
    function, x, count = member.function(engine), member.operands[0], len(member.case.operands)
    gradients = [np.zeros_like(x) if g is None else g for g in member.answer(engine).gradients]
    _, (found,) = engine.vjp(lambda a: function(*(a,) * count), [x], member.cotangents)
    whole = None if found is None else plain(engine, found)
    total, size = np.sum(gradients, axis=0, dtype=x.dtype), np.sum(np.abs(gradients), axis=0).max()
    what = f"the gradient of an array that is every operand of {member}"
    if rounding is None and np.isnan(total).any():
        raise NotThisCase("the gradients are NaN where the operands are equal")
    rounding = np.zeros(total.shape) if rounding is None else rounding
    hold_close(whole, total, rounding + ULPS * np.spacing(size.astype(x.dtype)).astype(np.longdouble), what)


@contract("B1", "returned-twice")
def output_returned_twice_receives_both_cotangents(engine: Backend, sample: Sample) -> None:
    """A function that returns one array twice, or an array and another made of it, has the sum of both gradients."""
    for function, what, (x, g, h), expected in _returning_twice(engine, sample):
        _, (got,) = engine.vjp(function, [np.array(x)], [np.array(g), np.array(h)])
        values = None if got is None else plain(engine, got)
        hold_close(values, expected, np.zeros(x.shape), what)


@contract("B1", "returned-twice-recorded", Capability.HIGHER_ORDER)
def recorded_gradient_of_an_output_returned_twice(engine: Backend, sample: Sample) -> None:
    """The same where the gradient is a function's value: a cotangent given within the graph joins what arrives there."""
    for function, what, (x, g, h), expected in _returning_twice(engine, sample):
        arrays = [engine.array(np.array(v)) for v in (x, g, h)]
        (got,) = engine.nested_vjp(function, arrays[:1], arrays[1:])
        values = None if got is None else plain(engine, got)
        hold_close(values, expected, np.zeros(x.shape), f"{what}, recorded")


@contract("B1", "returned-twice-built")
def output_of_a_built_function_returned_twice_receives_both_cotangents(
    engine: Backend, sample: Sample
) -> None:
    """A checkpointed, compiled or vectorized function that returns one array twice has the sum of both gradients."""
    for place, wrapped in wrappers_of(engine):
        for function, what, (x, g, h), expected in _returning_twice(engine, sample):
            _, (got,) = engine.vjp(wrapped(function), [np.array(x)], [np.array(g), np.array(h)])
            values = None if got is None else plain(engine, got)
            hold_close(values, expected, np.zeros(x.shape), f"{what}, {place}")


def _returning_twice(
    engine: Backend, sample: Sample
) -> Iterator[tuple[Function, str, tuple[Array, ...], Array]]:
    """Functions that return -x, or x itself, twice, their operand and cotangents, and the gradient."""
    x, g, h = sample.array(), sample.array(), sample.array()
    negative = engine.op(NEGATIVE)
    functions: dict[str, tuple[Any, Array]] = {
        "-x twice": (lambda y: (y, y), -(g + h)),
        "-x and x": (lambda y: (y, negative(y)), h - g),
        "x and -x": (lambda y: (negative(y), y), g - h),
    }
    for what, (of_output, expected) in functions.items():
        whole = f"the gradient of a function that returns {what}"
        yield _after(negative, of_output), whole, (x, g, h), expected
    itself = "the gradient of a function that returns its operand itself and"
    yield lambda a: (a, negative(a)), f"{itself} -x", (x, g, h), g - h
    yield lambda a: (a, a), f"{itself} again", (x, g, h), g + h


def _after(first: Function, function: Function) -> Function:
    """Of the first one's output; it has one argument, since an engine may take a default value for an array."""
    return lambda a: function(first(a))
