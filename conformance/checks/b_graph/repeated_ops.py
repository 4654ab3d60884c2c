"""Every op differentiated again: its graph retained (B7), as a function's value (B9)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from conformance.backend import Backend, Capability, TapeBackend
from conformance.case import Array
from conformance.checks.b_graph.stored_gradients import hold_as_before
from conformance.checks.each_member import hold_for_each
from conformance.checks.engine_calls import tape_of
from conformance.checks.members import Member, members, tupled
from conformance.checks.observation import Answer, plain
from conformance.checks.registry import contract, declared_convention
from conformance.checks.sample import Sample


def _leaves(tape: TapeBackend, member: Member) -> list[Any]:
    """The operands: leaves where they have a gradient, constants elsewhere."""
    return [tape.leaf(x) if i in member.wrt else tape.array(x) for i, x in enumerate(member.operands)]


def _stored(tape: TapeBackend, leaves: Sequence[Any], member: Member) -> list[Array | None]:
    """The stored gradients of the leaves."""
    given = [tape.grad(leaves[i]) for i in member.wrt]
    return [None if g is None else plain(tape, g) for g in given]


AGAIN = -2  # times the first cotangents are the second ones: a power of two, which rounds nothing


@contract("B7", "every-op", Capability.RETAINING, is_wide=True)
def retained_graph_of_every_op_can_be_differentiated_again(engine: Backend, sample: Sample) -> None:
    """A retained graph of any op, a checkpoint or custom rule included, gives its gradient as often as it is run."""

    def hold(number: int, member: Member, alone: Answer) -> None:
        if isinstance(engine, TapeBackend):
            _hold_accumulated(engine, member, alone)
            return
        traced = engine.trace(member.function(engine), member.operands, member.wrt)
        for call, factor in (("first", 1), ("second", AGAIN)):
            pulled = traced.pull([engine.array(np.asarray(factor * g)) for g in member.cotangents])
            got = [None if g is None else plain(engine, g) for g in pulled]
            member.hold(got, alone.gradients, f"by the {call} call of its pullback", factor)

    hold_for_each(engine, members(engine, sample), hold)


def _hold_accumulated(tape: TapeBackend, member: Member, alone: Answer) -> None:
    leaves = _leaves(tape, member)
    outputs = tupled(member.function(tape)(*leaves))
    is_sum = declared_convention(tape, "B3") == "accumulates"
    for factor in (1, AGAIN):
        for output, g in zip(outputs, member.cotangents, strict=True):
            tape.backward(output, tape.array(np.asarray(factor * g)), retain=True)
    if len(outputs) > 1 and not is_sum:
        return  # the gradient stored is that of the last output alone
    total = 1 + AGAIN if is_sum else AGAIN
    what = "its retained graph differentiated twice"
    member.hold(_stored(tape, leaves, member), alone.gradients, what, total)


@contract("B9", "every-op", Capability.HIGHER_ORDER, is_wide=True)
def functional_gradient_of_every_op_is_that_of_backward(engine: Backend, sample: Sample) -> None:
    """The gradient of any op as a function's value is that of a backward call, and none is stored for it."""
    tape = tape_of(engine)

    def hold(number: int, member: Member, alone: Answer) -> None:
        leaves = _leaves(tape, member)
        chosen = [leaves[i] for i in member.wrt]
        earlier = _stored(tape, leaves, member)

        def of_chosen(*xs: Any) -> Any:
            given = list(leaves)
            for i, x in zip(member.wrt, xs, strict=True):
                given[i] = x
            return member.function(tape)(*given)

        pulled = tape.nested_vjp(of_chosen, chosen, [tape.array(g) for g in member.cotangents])
        got = [None if g is None else plain(tape, g) for g in pulled]
        member.hold(got, alone.gradients, "as a function's value")
        for leaf, before in zip(chosen, earlier, strict=True):
            hold_as_before(
                tape, leaf, before, f"the stored gradient of a leaf after a functional one of {member}"
            )

    hold_for_each(tape, members(tape, sample), hold)
