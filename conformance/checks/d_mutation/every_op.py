"""Every op leaves its operands and cotangents untouched (D1, D2), survives a write into them (D3), and records it (D7)."""

from __future__ import annotations

from typing import Any

import numpy as np

from conformance.backend import Backend, Capability
from conformance.case import Array
from conformance.checks.comparison import hold_equal
from conformance.checks.each_member import hold_for_each
from conformance.checks.engine_calls import unless_refused
from conformance.checks.members import Member, gradients_in, members, tupled, weighted
from conformance.checks.observation import Answer, plain
from conformance.checks.registry import contract
from conformance.checks.sample import Sample
from conformance.ops.names import ADD


@contract("D1", "every-op", is_wide=True)
def forward_of_every_op_leaves_operands_untouched(engine: Backend, sample: Sample) -> None:
    """No op's forward call, recorded or not, changes an operand, whether or not arrays can be written."""

    def hold(number: int, member: Member, alone: Answer) -> None:
        given = member.operands
        arrays = [engine.array(x) for x in given]
        member.function(engine)(*arrays)
        traced = engine.trace(member.function(engine), given, member.wrt)
        for index, operand in enumerate(member.case.operands):
            what = f"operand {index} of {member} after the forward call"
            for array in (arrays[index], traced.arrays[index]):
                hold_equal(plain(engine, array).astype(operand.dtype), operand, what)
            hold_equal(given[index], operand, f"{what}, as the caller's array")

    hold_for_each(engine, members(engine, sample), hold, is_excused=False)


@contract("D2", "every-op", is_wide=True)
def backward_of_every_op_leaves_its_arrays_untouched(engine: Backend, sample: Sample) -> None:
    """No op's backward pass changes an operand, an output or a cotangent, whether or not arrays can be written."""

    def hold(number: int, member: Member, alone: Answer) -> None:
        given, cotangents = member.operands, member.cotangents
        traced = engine.trace(member.function(engine), given, member.wrt)
        outputs = [plain(engine, z) for z in traced.outputs]
        arrays = [engine.array(g) for g in cotangents]
        traced.pull(arrays)
        for index, operand in enumerate(member.case.operands):
            what = f"operand {index} of {member} after the backward pass"
            hold_equal(plain(engine, traced.arrays[index]).astype(operand.dtype), operand, what)
            hold_equal(given[index], operand, f"{what}, as the caller's array")
        for index, g in enumerate(member.case.cotangents):
            what = f"cotangent {index} of {member} after the backward pass"
            hold_equal(plain(engine, arrays[index]), g, what)
            hold_equal(cotangents[index], g, f"{what}, as the caller's array")
            what = f"output {index} of {member} after the backward pass"
            hold_equal(plain(engine, traced.outputs[index]), outputs[index], what)

    hold_for_each(engine, members(engine, sample), hold, is_excused=False)


@contract("D3", "every-op", Capability.RECORDED_WRITES, is_wide=True)
def write_after_any_op_never_alters_its_gradient(engine: Backend, sample: Sample) -> None:
    """What any op took, constants and indices too, or returned is written in place: refused, or the gradient is of the values as they were."""

    def hold(number: int, member: Member, alone: Answer) -> None:
        for position in member.wrt[number % len(member.wrt) :][:1]:
            _hold_as_it_was(engine, member, alone, written_operand=position)
        constants = [i for i in range(len(member.case.operands)) if i not in member.wrt]
        for position in [*constants, *(member.wrt[-1:] if len(member.wrt) > 1 else ())]:
            _hold_as_it_was(engine, member, alone, written_operand=position, is_constant=True)
        _hold_as_it_was(engine, member, alone, written_operand=None)

    hold_for_each(engine, members(engine, sample), hold, first=sample.seed)


def _hold_as_it_was(
    engine: Backend,
    member: Member,
    alone: Answer,
    written_operand: int | None,
    *,
    is_constant: bool = False,
) -> None:
    """Claim the gradient where an operand, or the first output, is written after the op: as it was, or refused.

    An operand that is a constant is made within the function: some engines call it again for the gradient.
    """
    function, add = member.function(engine), engine.op(ADD)
    zero = engine.array(np.zeros((), member.case.dtype))

    def graph(operands: Any, weights: Any) -> Any:
        made = _results_of_an_op(engine, member, operands)
        if is_constant and written_operand is not None:
            made[written_operand] = engine.array(member.operands[written_operand])
        outputs = tupled(function(*made))
        # By sums, which save nothing: a product would refuse the write, where it is the op itself that has to.
        total = weighted(engine, weights, tuple(add(z, zero) for z in outputs))
        target = outputs[0] if written_operand is None else made[written_operand]
        engine.assign(target, (Ellipsis,), engine.array(_other_number(member, written_operand)))
        return total

    given = unless_refused(lambda: gradients_in(engine, member, graph, member.cotangents)[0])
    if given is not None:
        written = "an output" if written_operand is None else "a constant" if is_constant else "an operand"
        if is_constant and written_operand in member.wrt:
            given[member.wrt.index(written_operand)] = alone.gradients[member.wrt.index(written_operand)]
        member.hold(given, alone.gradients, f"{written} written in place afterwards")


@contract("D7", "every-op", Capability.RECORDED_WRITES, is_wide=True)
def write_into_what_any_op_returned_is_recorded(engine: Backend, sample: Sample) -> None:
    """Into an output of any op is written: refused, or what was overwritten sends nothing back."""

    def hold(number: int, member: Member, alone: Answer) -> None:
        function, position = member.function(engine), number % len(member.cotangents)
        changed = member.cotangents
        index = (0,) if changed[position].ndim else (Ellipsis,)
        sevens = np.full(changed[position][index].shape, 7.0, member.case.dtype)
        changed[position][index] = 0

        def graph(operands: Any, weights: Any) -> Any:
            outputs = tupled(function(*_results_of_an_op(engine, member, operands)))
            engine.assign(outputs[position], index, engine.array(sevens))
            return weighted(engine, weights, outputs)

        given = unless_refused(lambda: gradients_in(engine, member, graph, member.cotangents)[0])
        if given is not None:
            _, expected = engine.vjp(function, member.operands, changed, member.wrt)
            right = [None if e is None else plain(engine, e) for e in expected]
            member.hold(given, right, f"its output {position} being overwritten at {index}")

    hold_for_each(engine, members(engine, sample), hold, first=sample.seed)


def _other_number(member: Member, operand: int | None) -> Array:
    """What is written: 7, or where indices or truth values stand 0, which is one everywhere."""
    dtype = np.dtype(member.case.dtype) if operand is None else member.case.operands[operand].dtype
    return np.full((), 0 if dtype.kind in "iub" else 7, dtype)


def _results_of_an_op(engine: Backend, member: Member, operands: Any) -> list[Any]:
    """Results of an op, equal to the leaves: where outputs are views, a write into one must not reach a leaf."""
    add, zero = engine.op(ADD), engine.array(np.zeros((), member.case.dtype))
    return [add(x, zero) if i in member.wrt else x for i, x in enumerate(operands)]
