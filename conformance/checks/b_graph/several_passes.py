"""What arrives at one leaf in several backward passes, through every op and in any number of contributions (B3)."""

from __future__ import annotations

from functools import reduce
from typing import Any

import numpy as np

from conformance.backend import Backend, Capability, TapeBackend
from conformance.case import Array
from conformance.checks.comparison import hold_equal
from conformance.checks.each_member import hold_for_each
from conformance.checks.engine_calls import tape_of
from conformance.checks.members import Member, members, weighted
from conformance.checks.observation import Answer, plain
from conformance.checks.registry import contract, declared_convention
from conformance.checks.sample import Sample
from conformance.ops.names import ADD, MULTIPLY

USES = (1, 2, 3, 4, 5, 6, 7, 8, 9, 16, 17, 33)  # of a leaf in one graph


def _passes(tape: TapeBackend, member: Member, cotangents: list[list[Array]]) -> list[Array | None]:
    """The gradients stored at a member's operands, which are leaves, after one pass for each list of cotangents."""
    arrays = [tape.leaf(x) if i in member.wrt else tape.array(x) for i, x in enumerate(member.operands)]
    function = member.function(tape)
    for given in cotangents:
        weights = [tape.array(np.array(g)) for g in given]
        tape.backward(weighted(tape, weights, function(*arrays)))
    stored = [tape.grad(arrays[i]) for i in member.wrt]
    return [None if g is None else plain(tape, g) for g in stored]


@contract("B3", "every-op", Capability.TAPE, is_wide=True)
def two_passes_through_every_op_accumulate(engine: Backend, sample: Sample) -> None:
    """A leaf that is the operand of any op in two backward passes, or in three, has the sum of their gradients, or the last."""
    tape, accumulates = tape_of(engine), declared_convention(engine, "B3") == "accumulates"

    def hold(number: int, member: Member, alone: Answer) -> None:
        whole, half = member.cotangents, [g / 2 for g in member.cotangents]
        # Halves are exact, so that the sum has the bits of the one pass.
        passes = [half, half] if number % 2 else [whole, whole, [-g for g in whole]]
        right = alone.gradients
        if not accumulates:
            right = tuple(None if g is None else g / (2 if number % 2 else -1) for g in right)
        member.hold(_passes(tape, member, passes), right, f"after {len(passes)} backward passes")

    hold_for_each(engine, members(engine, sample), hold, first=sample.seed)


@contract("B3", "many-uses", Capability.TAPE)
def passes_through_any_number_of_uses_accumulate(engine: Backend, sample: Sample) -> None:
    """Where a leaf is used k times in a graph, a second and a third backward pass add k contributions each to what is stored."""
    tape, accumulates = tape_of(engine), declared_convention(engine, "B3") == "accumulates"
    add, multiply = tape.op(ADD), tape.op(MULTIPLY)
    for count in USES:
        x, total = sample.array(), np.zeros(sample.shape, sample.dtype)
        leaf = tape.leaf(np.array(x))
        for passed in (1, 2, 3):
            g, factors = sample.array(), [sample.array() for _ in range(count)]
            terms: list[Any] = [multiply(leaf, tape.array(np.array(w))) for w in factors]
            tape.backward(reduce(add, terms), tape.array(np.array(g)))
            arrived = g * sum(factors)
            total = total + arrived if accumulates else arrived
            what = f"the gradient of a leaf used {count} times, after {passed} backward passes"
            hold_equal(plain(tape, tape.grad(leaf)), total, what)
