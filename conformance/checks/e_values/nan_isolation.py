"""Chapter E: a NaN affects no gradient of entries that share no output with it, and none of a linear op; it reaches what it affects.

Which entries of the operands affect which outputs is found from the reference. For an elementwise op it follows
from broadcasting; for any other, an entry that is NaN changes every output that depends on it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from conformance.backend import as_tuple
from conformance.case import Array, Case
from conformance.checks.comparison import Comparison, decides, hold_all_within, hold_close, tolerances
from conformance.checks.engine_calls import is_refusal
from conformance.checks.observation import Answer, Observation
from conformance.checks.registry import DOUBLE, NotThisCase, op_check
from conformance.errors import Violation, text_of
from conformance.kept import kept
from conformance.op import Op, OperandKind, Trait
from conformance.ops import family_of
from conformance.oracle.allowance import EXTENDED, expected_values, extended, reference_vjp
from conformance.oracle.uncertainty import is_more_than_rounding
from conformance.points import SPECIAL_POINTS

MOST_ENTRIES = 64
MATRICES = frozenset({OperandKind.INVERTIBLE, OperandKind.POSITIVE_DEFINITE})
MATRIX_FAMILY = "linear algebra"
NAN_ANYWHERE = frozenset(point.op for point in SPECIAL_POINTS.values() if point.has_nans_anywhere)
TRIED = 8  # outputs, to find one that few entries affect
MULTIPLES = ("zero", "negated", "doubled", "slightly scaled")
UNRELATED = tuple(
    (f"{name}, at {where}", "the gradient of what is unrelated may be zero, and then every multiple of it is")
    for name in MULTIPLES
    for where in ("all entries", "one entry")
)
NEGLIGIBLE = 1e-6  # of the largest slope: a smaller one may be rounded to zero
NOT_FINITE = tuple(
    (f"{name}, at {where}", "NaN and infinity stay what they are")
    for name in ("NaN", "negated", "doubled", "slightly scaled", "of another entry")
    for where in ("all entries", "one entry")
)


@op_check("E9", "beside-nan", once_per_signature=True, satisfied_by=UNRELATED)
def nan_changes_no_gradient_of_unrelated_entries(seen: Observation) -> None:
    """An entry that is NaN, or infinite, changes no gradient of the entries that share no output with it, and no other value."""
    if max(x.size for x in (*seen.case.operands, *seen.case.cotangents)) > MOST_ENTRIES:
        raise NotThisCase("there are too many entries to find what each of them affects")
    reaches = _reaches(seen)
    replaced = _most_isolated(reaches)
    for value in (np.nan, np.inf):
        _hold_unrelated(seen, replaced, value, reaches)


@op_check("E9", "beside-nan-cotangent", once_per_signature=True, satisfied_by=UNRELATED)
def nan_cotangent_changes_no_gradient_of_unrelated_entries(seen: Observation) -> None:
    """A cotangent that is NaN, or infinite, changes no gradient of entries whose outputs are computed apart."""
    if not {domain.kind for domain in seen.op.domains}.isdisjoint(MATRICES):
        raise NotThisCase("a rule of matrices computes with whole matrices")
    if max(x.size for x in (*seen.case.operands, *seen.case.cotangents)) > MOST_ENTRIES:
        raise NotThisCase("there are too many entries to find what each of them affects")
    reaches = _reaches(seen)
    count = reaches[0].shape[1]
    found = [(n, _affected(reaches, n)) for n in range(0, count, max(1, count // TRIED))]
    output, is_affected = min(found, key=lambda pair: pair[1].sum(), default=(0, np.zeros(0, bool)))
    if is_affected.all() or not is_affected.any():
        raise NotThisCase("every entry affects every output, directly or beside others")
    shared = np.split(is_affected, np.cumsum([len(reach) for reach in reaches])[:-1])
    for value in (np.nan, np.inf):
        _hold_same(seen, value, seen.vjp(cotangents=_with_cotangent(seen, output, value)), shared)


@op_check("E25", "nan-cotangent-arrives", compiles=True, dtypes=DOUBLE, satisfied_by=NOT_FINITE)
def nan_cotangent_reaches_what_it_contributes_to(seen: Observation) -> None:
    """An entry whose output has a cotangent that is NaN, or infinite of either sign, has no finite gradient."""
    output, slopes = _weighed_output(seen)
    for value in (np.nan, np.inf, -np.inf):
        answer = _answer(seen, f"a cotangent of {value}", cotangents=_with_cotangent(seen, output, value))
        what = f"though the cotangent is {value} at entry {output} of the flattened outputs"
        _hold_not_finite(seen, answer, slopes, what)


def _hold_not_finite(seen: Observation, answer: Answer, slopes: Sequence[Array], what: str) -> None:
    """Claim that no gradient is finite of an entry for which the output's slope is not zero."""
    largest = max(np.abs(slope).max(initial=0) for slope in slopes)
    for position, (got, slope) in enumerate(zip(answer.gradients, slopes, strict=True)):
        is_reached = np.abs(slope) > NEGLIGIBLE * largest
        values = np.zeros(slope.shape) if got is None else got

        def is_fair(
            altered: Callable[[Array], Array], given: Array = values, reached: Array = is_reached
        ) -> bool:
            return not np.isfinite(altered(given)[reached]).any()

        tolerances.put(is_fair)
        decides(is_reached.any())
        if not is_fair(np.asarray):
            place = tuple(int(i) for i in np.argwhere(is_reached & np.isfinite(values))[0])
            raise Violation(
                f"{seen.label(position)} is {values[place]:.6g} at {list(place)}, {what}, "
                f"whose derivative by this entry is {float(slope[place]):.3g}"
            )


def _weighed_output(seen: Observation) -> tuple[int, list[Array]]:
    """An output on which an entry has an effect, counted over all outputs, and the gradients for a one there."""
    rule = reference_vjp(seen.op, seen.case, seen.wrt)
    given = [extended(x) for x in seen.case.operands]
    zeros = [np.zeros(g.shape, extended(g).dtype) for g in seen.case.cotangents]
    count = sum(g.size for g in zeros)
    for output in dict.fromkeys(((count - 1) // 2, 0, count - 1, min(1, count - 1))) if count else ():
        hot = (np.arange(count) == output).astype(zeros[0].dtype)
        parts = np.split(hot, np.cumsum([g.size for g in zeros])[:-1])
        inputs = [*given, *(part.reshape(g.shape) for part, g in zip(parts, zeros, strict=True))]
        with np.errstate(all="ignore"):
            slopes = [np.asarray(slope) for slope in rule(inputs)]
            rounded = rule([x.astype(float) if x.dtype == EXTENDED else x for x in inputs])
        if is_more_than_rounding(slopes, rounded):
            return output, slopes
    raise NotThisCase("there is no output that an operand affects")


def _is_linear(op: Op) -> bool:
    return Trait.LINEAR in op.traits


@op_check("E1", "linear-at-nan", applies=_is_linear, once_per_signature=True)
def gradient_of_a_linear_op_reads_no_operand(seen: Observation) -> list[Comparison]:
    """The gradient of a linear op is the same where its operand is NaN or infinite: the rule does not read it."""
    (index,) = seen.wrt
    operands = [np.array(x) for x in seen.case.operands]
    operands[index].flat[::2] = np.nan
    operands[index].flat[1::2] = np.inf
    answer = _answer(seen, "NaN", operands=operands)
    what = f"{seen.label(0)}, whose entries are NaN and infinite,"
    return hold_all_within([(answer.gradients[0], seen.expected[0], what)])


def _affected(reaches: Sequence[Array], output: int) -> Array:
    """The entries of all operands that affect an output, or share another with such an entry, and so on, or affect none.

    What remains is computed apart: a rule that multiplies by a zero of the Jacobian may spread a NaN among the others.
    """
    reach = np.concatenate(reaches)
    outputs = _beside(reach, np.arange(reach.shape[1]) == output)
    return np.asarray(reach[:, outputs].any(axis=1) | ~reach.any(axis=1))


def _beside(reach: Array, outputs: Array) -> Array:
    """These outputs, with those that share an entry with them, and so on."""
    while True:
        reached = outputs | reach[reach[:, outputs].any(axis=1)].any(axis=0)
        if (reached == outputs).all():
            return outputs
        outputs = reached


def _with_cotangent(seen: Observation, output: int, value: float) -> list[Array]:
    """The cotangents with one entry replaced, counted over all outputs."""
    flat = np.concatenate([np.ravel(g) for g in seen.case.cotangents])
    flat[output] = value
    parts = np.split(flat, np.cumsum([g.size for g in seen.case.cotangents])[:-1])
    return [
        part.reshape(g.shape).astype(g.dtype) for part, g in zip(parts, seen.case.cotangents, strict=True)
    ]


def _answer(seen: Observation, what: str, **call: Any) -> Answer:
    """What the engine answers to another call; NotThisCase where it refuses that."""
    try:
        return seen.vjp(**call)
    except Exception as error:
        if not is_refusal(error):
            raise
        raise NotThisCase(f"the engine refuses {what}: {text_of(error)}") from None


def _hold_unrelated(
    seen: Observation, replaced: tuple[int, int], value: float, reaches: Sequence[Array]
) -> None:
    """Claim that the gradients of unrelated entries stay the same when one entry becomes `value`."""
    position, entry = replaced
    operands = _with(seen.case, seen.wrt[position], entry, value)
    answer = _answer(seen, f"{value}", operands=operands)
    is_reached = reaches[position][entry]
    if (
        family_of(seen.op) == MATRIX_FAMILY
    ):  # algorithms for whole matrices, of which some entries are constants
        reach = np.concatenate(reaches)
        is_reached = _beside(reach, is_reached) | ~reach.any(axis=0)
    if not (np.isnan(value) and seen.op.name in NAN_ANYWHERE):
        _hold_values(seen, value, operands, answer, is_reached)
    shared = [(reach & reaches[position][entry]).any(axis=1) for reach in reaches]
    spread = _spread_by_rule(seen, operands, is_number=not np.isnan(value))
    _hold_same(seen, value, answer, [one | other for one, other in zip(shared, spread, strict=True)])


def _hold_values(
    seen: Observation, value: float, operands: Sequence[Array], answer: Answer, reach: Array
) -> None:
    """Claim that the outputs are what they were, but for those in reach of the entry, or that the reference changes."""
    before, reached = (_flat(seen.op, seen.case, given) for given in (seen.case.operands, operands))
    bounds = expected_values(seen.op, seen.case, perturbations=seen.perturbations)
    parts = np.split(reach | (reached != before), np.cumsum([bound.allowed.size for bound in bounds])[:-1])
    for first, second, bound, part in zip(seen.answer.outputs, answer.outputs, bounds, parts, strict=True):
        is_same = ~part.reshape(bound.allowed.shape)
        decides(is_same.any())
        what = f"the value changes where an entry it does not depend on is {value}"
        hold_close(second, first, np.where(is_same, 2 * bound.allowed, np.inf), what)


def _spread_by_rule(seen: Observation, operands: Sequence[Array], *, is_number: bool) -> list[Array]:
    """Which gradients the rule itself makes NaN or infinite, and, where the entry `is_number`, which it changes.

    A product of matrices multiplies the zeros of a mask, too. A place that is infinite is clipped to the border: what
    is read there shared no output with it before.
    """
    rule = reference_vjp(seen.op, seen.case, seen.wrt)
    found = rule([extended(x) for x in (*operands, *seen.case.cotangents)])
    spread = [~np.isfinite(g) for g in found]
    if is_number:
        with np.errstate(invalid="ignore"):
            for is_spread, g, expected in zip(spread, found, seen.expected, strict=True):
                is_spread |= np.abs(g - expected.exact) > 2 * expected.allowed
    return [is_spread.ravel() for is_spread in spread]


def _hold_same(seen: Observation, value: float, answer: Answer, shared: Sequence[Array]) -> None:
    """Claim that the gradients of entries are what they were, but for those that are `shared`: they may be anything."""
    for k, (first, second) in enumerate(zip(seen.answer.gradients, answer.gradients, strict=True)):
        shape = seen.case.operands[seen.wrt[k]].shape
        is_shared = shared[k].reshape(shape)
        if first is None:
            continue
        if first.shape != shape:
            raise Violation(f"{seen.label(k)} has shape {first.shape}, expected {shape}")
        what = f"{seen.label(k)} changes where an unrelated entry is {value}"
        if second is None or second.shape != shape:
            raise Violation(f"{what}: {'None' if second is None else f'of shape {second.shape}'}")
        # Entries that share an output with the replaced one may have any gradient; the others may be zero.
        decides((~is_shared).any())
        hold_close(second, first, np.where(is_shared, np.inf, 2 * seen.expected[k].allowed), what)


def _reaches(seen: Observation) -> list[Array]:
    """What `_reached` finds of each operand that has a gradient."""
    found: list[Array] = seen.oracle.shared(
        "reaches", lambda: [_reached(seen.op, seen.case, index) for index in seen.wrt]
    )
    return found


@kept()
def _reached(op: Op, case: Case, index: int) -> Array:
    """Which outputs each entry of an operand affects: a row per entry, a column per entry of the outputs."""
    x = case.operands[index]
    if Trait.ELEMENTWISE in op.traits:
        (z,) = case.cotangents
        sources = np.broadcast_to(np.arange(x.size).reshape(x.shape), z.shape).ravel()
        return np.asarray(np.arange(x.size)[:, None] == sources)
    before = _flat(op, case, case.operands)
    rows = [_flat(op, case, _with(case, index, entry, np.nan)) != before for entry in range(x.size)]
    for value in (np.inf, -np.inf):  # an op that leaves out what is NaN may give the same number without it
        for entry, row in enumerate(rows):
            if not row.any():
                row |= _flat(op, case, _with(case, index, entry, value)) != before
    return np.array(rows, bool).reshape(x.size, before.size)


def _most_isolated(reaches: Sequence[Array]) -> tuple[int, int]:
    """The position of an operand and its entry that share an output with the fewest other entries.

    Only entries that affect an output count. Raises NotThisCase where every entry shares an output with every other.
    """
    # Of few entries: single precision counts the shared outputs exactly.
    reach = np.concatenate(reaches).astype(np.float32)
    unrelated = np.where(reach.any(axis=1), (reach @ reach.T == 0).sum(axis=1), 0)
    if not unrelated.any():
        raise NotThisCase("every entry shares an output with every other, or affects none")
    places = [(position, entry) for position, reached in enumerate(reaches) for entry in range(len(reached))]
    return places[int(np.argmax(unrelated))]


def _with(case: Case, index: int, entry: int, value: float) -> list[Array]:
    """Copies of the operands, one entry of one of them replaced."""
    operands = [np.array(x) for x in case.operands]
    operands[index].flat[entry] = value
    return operands


def _flat(op: Op, case: Case, operands: Sequence[Array]) -> Array:
    """All outputs of the reference, flattened into one row.

    In extended precision, which does not use BLAS: there a scalar zero times NaN is zero (axpy).
    """
    outputs = as_tuple(op.reference(*map(extended, operands), **case.parameters))
    return np.concatenate([np.ravel(z) for z in outputs])
