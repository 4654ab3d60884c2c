"""Chapter E on neighbours: entries that share no output know nothing of each other.

Which entries of the operands reach which outputs is asked of the op's row. Of an op that acts on every element alone
it follows from broadcasting; of any other, an entry that is not a number changes whatever is made of it.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from conformance.backend import as_tuple
from conformance.case import Array
from conformance.checks.engine_calls import is_refusal
from conformance.checks.observation import Observation, hold_close
from conformance.checks.registry import NotThisCase, op_check
from conformance.errors import Violation
from conformance.op import Trait
from conformance.oracle.allowance import extended


@op_check("E9", "beside-nan", once_per_signature=True)
def gradients_beside_a_nan_are_what_they_were(seen: Observation) -> None:
    """An entry that is NaN, or infinite, changes no gradient of the entries that share no output with it."""
    reaches = [_reached(seen, index) for index in seen.wrt]
    spoilt = _most_apart(reaches)
    for value in (np.nan, np.inf):
        _hold_beside(seen, spoilt, value, reaches)


def _hold_beside(seen: Observation, spoilt: tuple[int, int], value: float, reaches: Sequence[Array]) -> None:
    """Hold the entries to their gradients of before, once another one has become `value`."""
    position, entry = spoilt
    try:
        answer = seen.ask(operands=_with(seen, seen.wrt[position], entry, value))
    except Exception as error:
        if not is_refusal(error):
            raise
        raise NotThisCase(f"the engine refuses {value}: {error}") from None
    for k, (first, second) in enumerate(zip(seen.answer.gradients, answer.gradients, strict=True)):
        shape = seen.case.operands[seen.wrt[k]].shape
        is_shared = (reaches[k] & reaches[position][entry]).any(axis=1).reshape(shape)
        if first is None:
            continue
        if first.shape != shape:
            raise Violation(f"{seen.label(k)} has shape {first.shape}, expected {shape}")
        what = f"{seen.label(k)} is another where {value} stands beside it"
        if second is None or second.shape != shape:
            raise Violation(f"{what}: {'None' if second is None else f'of shape {second.shape}'}")
        # What shares an output may become anything.
        hold_close(np.where(is_shared, first, second), first, 2 * seen.expected[k].allowed, what)


def _reached(seen: Observation, index: int) -> Array:
    """Which outputs each entry of an operand reaches: a row per entry, a column per entry of the outputs."""
    x = seen.case.operands[index]
    if Trait.ELEMENTWISE in seen.op.traits:
        (z,) = seen.case.cotangents
        sources = np.broadcast_to(np.arange(x.size).reshape(x.shape), z.shape).ravel()
        return np.asarray(np.arange(x.size)[:, None] == sources)
    before = _flat(seen, seen.case.operands)
    rows = [_flat(seen, _with(seen, index, entry, np.nan)) != before for entry in range(x.size)]
    return np.array(rows, bool).reshape(x.size, before.size)


def _most_apart(reaches: Sequence[Array]) -> tuple[int, int]:
    """The operand and the entry that reach something, and leave most entries alone; NotThisCase where all share."""
    apart = {
        (position, entry): sum(int((~(other & row).any(axis=1)).sum()) for other in reaches)
        for position, reached in enumerate(reaches)
        for entry, row in enumerate(reached)
        if row.any()
    }
    if not apart or not max(apart.values()):
        raise NotThisCase("every entry shares an output with every other, or reaches none")
    return max(apart, key=lambda place: apart[place])


def _with(seen: Observation, index: int, entry: int, value: float) -> list[Array]:
    """Copies of the operands, one entry of one of them replaced."""
    operands = [np.array(x) for x in seen.case.operands]
    operands[index].flat[entry] = value
    return operands


def _flat(seen: Observation, operands: Sequence[Array]) -> Array:
    """Everything that the reference makes of operands, as one row.

    In extended precision, which BLAS has not: its scalar zero times NaN is zero (axpy).
    """
    outputs = as_tuple(seen.op.reference(*map(extended, operands), **seen.case.parameters))
    return np.concatenate([np.ravel(z) for z in outputs])
