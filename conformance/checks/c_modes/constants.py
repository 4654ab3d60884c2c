"""Operands that need no gradient (C4)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from conformance.backend import Backend
from conformance.checks.comparison import hold_equal, hold_within
from conformance.checks.each_member import hold_for_each
from conformance.checks.engine_calls import gradients_of, hold_no_stored_gradient
from conformance.checks.members import Member, members
from conformance.checks.observation import Answer, Oracle, plain
from conformance.checks.registry import contract
from conformance.checks.sample import Sample
from conformance.errors import Violation
from conformance.op import Trait
from conformance.ops.names import INDEX_UPDATE, MULTIPLY


@contract("C4", "constants")
def operand_without_gradient_changes_no_other(engine: Backend, sample: Sample) -> None:
    """An operand that needs no gradient gets none, and the others' gradients are the same."""
    x, w, g = (sample.array() for _ in range(3))
    multiply, operands = engine.op(MULTIPLY), [x, w]
    both = gradients_of(engine, multiply, operands, g)
    for index in range(2):
        copies = [np.array(v) for v in operands]
        traced = engine.trace(multiply, copies, [index])
        alone = traced.pull([engine.array(np.array(g))])
        if len(alone) != 1 or alone[0] is None:
            raise Violation(f"operand {index} alone got {len(alone)} gradients")
        hold_equal(plain(engine, alone[0]), both[index], f"operand {index}'s gradient, the other constant")
        hold_no_stored_gradient(engine, traced.arrays[1 - index], f"operand {1 - index}")


@contract("C4", "every-op", is_wide=True)
def each_operand_of_every_op_may_be_the_only_one_with_a_gradient(engine: Backend, sample: Sample) -> None:
    """Any operand alone has its gradient, where the others are constants: arrays of the engine, NumPy's, or numbers."""

    def hold(number: int, member: Member, alone: Answer) -> None:
        for position, index in enumerate(member.wrt):
            _hold_array_alone(engine, member, position, alone)
            for what, constants, oracle in _constants(member, index):  # tried where the engine takes them
                _hold_alone(engine, member, index, what, constants, oracle)

    chosen = [member for member in members(engine, sample) if len(member.case.operands) > 1]
    hold_for_each(engine, chosen, hold, first=sample.seed)


def _hold_array_alone(engine: Backend, member: Member, position: int, alone: Answer) -> None:
    """Claim that an operand's gradient is the same beside constants of the engine, which have none."""
    index = member.wrt[position]
    if is_barred(engine, member, index):
        return
    traced = engine.trace(member.function(engine), member.operands, [index])
    (got,) = traced.pull([engine.array(g) for g in member.cotangents])
    ours = list(alone.gradients)
    ours[position] = None if got is None else plain(engine, got)
    member.hold(ours, alone.gradients, "the others constants")
    for other in set(range(len(member.case.operands))) - {index}:
        array, what = traced.arrays[other], f"operand {other} of {member}"
        hold_no_stored_gradient(engine, array, what, has_one=other in member.wrt)


def is_barred(engine: Backend, member: Member, index: int) -> bool:
    """Whether the operand is written into a constant, which stays one (D11)."""
    return bool(index) and member.op.name == INDEX_UPDATE and engine.conventions.get("D11") == "constant"


def _constants(member: Member, index: int) -> Iterator[tuple[str, list[Any], Oracle]]:
    """What the other operands may be besides arrays of the engine, and what is known of the call."""
    yield "NumPy arrays", member.operands, member.oracle
    if Trait.ELEMENTWISE in member.op.traits and not member.is_built:
        numbers = [x if i == index else np.array(x.flat[0]) for i, x in enumerate(member.operands)]
        g = np.resize(member.cotangents[0], numbers[index].shape)
        oracle = Oracle(member.op, replace(member.case, operands=tuple(numbers), cotangents=(g,)))
        yield "Python numbers", [x.item() if i != index else x for i, x in enumerate(numbers)], oracle


def _is_numpys(value: Any) -> bool:
    """Whether NumPy has made it, and not an engine whose arrays are a subclass of NumPy's."""
    return type(value) is np.ndarray or isinstance(value, np.generic)


def _hold_alone(
    engine: Backend, member: Member, index: int, what: str, constants: list[Any], oracle: Oracle
) -> None:
    """Claim that operand `index` has its gradient beside constants, if the engine takes those."""
    if is_barred(engine, member, index):
        return
    function = member.function(engine)

    def of_one(x: Any) -> Any:
        given = list(constants)
        given[index] = x
        return function(*given)

    try:
        traced = engine.trace(of_one, [np.array(constants[index])])
    except Exception:  # neither engines nor adapters need to take what is not the engine's array
        return
    if any(map(_is_numpys, traced.outputs)) and not _is_numpys(engine.array(member.operands[index])):
        return  # NumPy has computed it: the engine has left the call to what it does not take
    # NumPy's promotion makes double precision of a number beside single; the cotangent is of the output's dtype.
    cotangents = [
        engine.array(g.astype(plain(engine, z).dtype))
        for g, z in zip(oracle.case.cotangents, traced.outputs, strict=True)
    ]
    try:
        (got,) = traced.pull(cotangents)
    except (
        AttributeError
    ):  # a recorded operand that lacks what the engine's arrays have: it was not taken either
        return
    ours = None if got is None else plain(engine, got)
    label = f"the gradient of operand {index} of {member}, the others {what},"
    hold_within(ours, oracle.expected[oracle.wrt.index(index)], label)
