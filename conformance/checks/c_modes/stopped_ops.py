"""Every op in a no_grad scope (C1), between detached values (C2)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from conformance.backend import Backend, Capability, Function
from conformance.checks.comparison import hold_equal
from conformance.checks.each_member import hold_for_each
from conformance.checks.engine_calls import IntentionalError, gradients_of
from conformance.checks.members import Member, gradients_in, hold_values, members, tupled, weighted
from conformance.checks.observation import Answer
from conformance.checks.registry import contract
from conformance.checks.sample import Sample
from conformance.ops.names import ADD, MULTIPLY

Stop = Callable[
    [Backend, Function, tuple[Any, ...]], Any
]  # the outputs of a function of operands, not recorded


def _in_a_scope(engine: Backend, function: Function, operands: tuple[Any, ...]) -> Any:
    with engine.no_grad():
        return function(*operands)


def _after_an_inner_scope(engine: Backend, function: Function, operands: tuple[Any, ...]) -> Any:
    with engine.no_grad():
        with engine.no_grad():
            function(*operands)
        return function(*operands)


def _in_an_inner_scope(engine: Backend, function: Function, operands: tuple[Any, ...]) -> Any:
    with engine.no_grad(), engine.no_grad():
        return function(*operands)


def _in_a_second_scope(engine: Backend, function: Function, operands: tuple[Any, ...]) -> Any:
    with engine.no_grad():
        function(*operands)
    function(*operands)
    with engine.no_grad():
        return function(*operands)


def _after_an_exception(engine: Backend, function: Function, operands: tuple[Any, ...]) -> Any:
    try:
        with engine.no_grad():
            function(*operands)
            raise IntentionalError
    except IntentionalError:
        with engine.no_grad():
            return function(*operands)


SCOPES: dict[str, Stop] = {
    "in a no_grad scope": _in_a_scope,
    "in a no_grad scope after an inner one": _after_an_inner_scope,
    "in nested no_grad scopes": _in_an_inner_scope,
    "in a second no_grad scope": _in_a_second_scope,
    "in a no_grad scope after one that an exception left": _after_an_exception,
}


def _output_detached(engine: Backend, function: Function, operands: tuple[Any, ...]) -> Any:
    outputs = function(*operands)
    several = isinstance(outputs, (tuple, list))
    return tuple(map(engine.detach, outputs)) if several else engine.detach(outputs)


def _operands_detached(engine: Backend, function: Function, operands: tuple[Any, ...]) -> Any:
    return function(*map(engine.detach, operands))


def _detached_twice(engine: Backend, function: Function, operands: tuple[Any, ...]) -> Any:
    return _output_detached(engine, lambda *xs: _output_detached(engine, function, xs), operands)


DETACHED: dict[str, Stop] = {
    "detached": _output_detached,
    "of detached operands": _operands_detached,
    "detached twice": _detached_twice,
}


@contract("C1", "every-op", Capability.NO_GRAD, is_wide=True)
def every_op_in_a_scope_is_a_constant(engine: Backend, sample: Sample) -> None:
    """What any op computes in a scope is a constant, and beside the scope the op is recorded."""
    _hold_stopped(engine, sample, SCOPES)


@contract("C2", "every-op", Capability.DETACH, is_wide=True)
def every_op_detached_is_a_constant(engine: Backend, sample: Sample) -> None:
    """What any op computes is a constant once it, or all its operands, are detached."""
    _hold_stopped(engine, sample, DETACHED)


@contract("C1", "used-inside", Capability.NO_GRAD)
def result_used_in_a_scope_keeps_its_history(engine: Backend, sample: Sample) -> None:
    """A result that was recorded before a no_grad scope and is used in it is recorded still, where it is used after it."""
    x, g, multiply = sample.array(), sample.array(), engine.op(MULTIPLY)

    def function(a: Any) -> Any:
        square = multiply(a, a)
        with engine.no_grad():
            constant = multiply(square, a)
        return multiply(square, constant)

    (got,) = gradients_of(engine, function, [x], g)
    hold_equal(got, 2 * g * x * (x * x * x), "the gradient of x² c, c being x² x computed in a no_grad scope")


@contract("C2", "used-beside", Capability.DETACH)
def result_that_was_detached_keeps_its_history(engine: Backend, sample: Sample) -> None:
    """A result that has been detached is a constant in that array alone: the result itself is recorded still."""
    x, g, multiply = sample.array(), sample.array(), engine.op(MULTIPLY)

    def function(a: Any) -> Any:
        square = multiply(a, a)
        constant = engine.detach(square)
        return multiply(square, multiply(constant, square))

    (got,) = gradients_of(engine, function, [x], g)
    hold_equal(got, 4 * g * x * (x * x) * (x * x), "the gradient of x² c x², c being x², detached")


def _hold_stopped(engine: Backend, sample: Sample, ways: dict[str, Stop]) -> None:
    """Claim that an op, stopped in one of the ways, adds nothing to the gradients of the op recorded."""
    names = list(ways)

    def hold(number: int, member: Member, alone: Answer) -> None:
        what = names[number % len(names)]
        _hold_constant(engine, member, alone, what, ways[what])

    hold_for_each(engine, members(engine, sample), hold, first=sample.seed)


def _hold_constant(engine: Backend, member: Member, alone: Answer, what: str, stop: Stop) -> None:
    function, add = member.function(engine), engine.op(ADD)
    count, is_operand = len(member.cotangents), False

    def graph(operands: tuple[Any, ...], weights: tuple[Any, ...]) -> Any:
        nonlocal is_operand
        stopped = stop(engine, function, operands)
        is_operand = any(z is x for z in tupled(stopped) for x in operands)
        recorded = function(*operands)
        return add(weighted(engine, weights[:count], stopped), weighted(engine, weights[count:], recorded))

    ones = [0 * g + 1 for g in member.cotangents]
    got, of_weights = gradients_in(engine, member, graph, [*ones, *member.cotangents])
    if is_operand:
        return  # an identity that returns its operand itself, which no scope makes a constant
    member.hold(got, alone.gradients, f"which is used once {what} and once recorded")
    hold_values(member, of_weights[:count], alone.outputs, what)
