"""Chapter E: gradients at infinite operands, which are the limits of those at ever larger ones; values at NaN; and zeros of either sign."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache, partial

import numpy as np

from conformance.backend import as_tuple
from conformance.case import Array
from conformance.checks.comparison import decides, hold_close, hold_equal, tolerances
from conformance.checks.conversion import hold_count
from conformance.checks.dependence import sure_to_be_nan, with_number
from conformance.checks.e_values.nan_isolation import MATRICES
from conformance.checks.engine_calls import is_refusal, unless_refused
from conformance.checks.observation import Observation, plain
from conformance.checks.registry import DOUBLE, NotThisCase, op_check
from conformance.errors import Violation, text_of
from conformance.op import Domain, Op, OperandKind, Trait
from conformance.ops import family_of
from conformance.ops.names import LINSPACE, WHERE
from conformance.ops.rows import unbroadcast
from conformance.oracle.allowance import EXTENDED, extended

FAR = (1e40, 1e80, 1e160)  # operands in extended precision, ever larger
SETTLED = 1e-15  # the relative change of a slope that has reached its limit
SLACK = 64  # units of rounding, besides those of a sum: a limit is a number that the op's parameters and operands give


def _is_unbounded(domain: Domain) -> bool:
    is_real = domain.kind in (OperandKind.REAL, OperandKind.DISTINCT)
    return is_real and (domain.high == np.inf or domain.low == -np.inf)


def _reaches_infinity(op: Op) -> bool:
    return Trait.ELEMENTWISE in op.traits and any(map(_is_unbounded, op.domains))


def _is_no_matrix_function(op: Op) -> bool:
    """Whether what algorithms of whole matrices do beside a NaN, some of which refuse it, is no question."""
    return {domain.kind for domain in op.domains}.isdisjoint(MATRICES)


@op_check("E14", "at-infinity", applies=_reaches_infinity, once_per_signature=True)
def gradient_at_infinity_is_the_limit(seen: Observation) -> None:
    """At infinite operands a gradient is the limit of those at ever larger ones, or NaN, and never another number."""
    unbounded = [i for i in seen.wrt if _is_unbounded(seen.op.domain(i)) and seen.case.operands[i].size]
    if not unbounded:
        raise NotThisCase("no operand can be infinite")
    for index in unbounded:
        signs = _signs(seen.op.domain(index), seen.case.operands[index])
        if _jumps(seen, index, signs):
            raise NotThisCase("the value at infinity is no limit")
        try:
            answer = seen.vjp(operands=_with(seen, index, signs * np.inf))
        except Exception as error:
            if not is_refusal(error):
                raise
            raise NotThisCase(f"the engine refuses infinity: {text_of(error)}") from None
        shapes = [seen.case.operands[i].shape for i in seen.wrt]
        slopes = [_slopes(seen, index, signs * size) for size in FAR]
        sums = [[unbroadcast(g, s) for g, s in zip(gradients, shapes, strict=True)] for gradients in slopes]
        sizes = [unbroadcast(np.abs(g), s) for g, s in zip(slopes[-1], shapes, strict=True)]
        for position, (got, limit) in enumerate(zip(answer.gradients, _limits(sums), strict=True)):
            what = f"{seen.label(position)}, where operand {index} is infinite,"
            dtype = seen.case.operands[seen.wrt[position]].dtype
            count = slopes[-1][position].size // max(1, limit.size)
            _hold_limit(got, limit, sizes[position], count, dtype, what)


@op_check("E22", "value-at-nan", applies=_is_no_matrix_function, once_per_signature=True)
def value_that_depends_on_a_nan_is_nan(seen: Observation) -> None:
    """Where an operand has a NaN, the values that depend on this entry are NaN, as the reference's are."""
    function = seen.backend.call(seen.op.name, seen.case.parameters)
    for index in seen.wrt:
        size = seen.case.operands[index].size
        for place in sorted({0, size - 1} if size else ()):
            expected = sure_to_be_nan(seen, index, place)
            operands = with_number(seen.case.operands, index, place, np.nan)
            outputs = unless_refused(partial(seen.backend.forward, function, operands), seen.backend)
            if outputs is None:
                raise NotThisCase("the engine refuses NaN")
            hold_count(seen.op.name, outputs, len(expected))
            for is_sure, output in zip(expected, outputs, strict=True):
                decides(bool(is_sure.any()))
                _hold_nan(plain(seen.backend, output), is_sure, f"entry {place} of operand {index}")


def _hold_nan(got: Array, is_sure: Array, which: str) -> None:
    """Claim that a value is NaN wherever it is sure to be."""

    def is_fair(altered: Callable[[Array], Array]) -> bool:
        return bool(np.isnan(altered(got)[is_sure]).all())

    if got.shape != is_sure.shape:
        raise NotThisCase(f"the value has shape {got.shape}, not {is_sure.shape}, which is another question")
    tolerances.put(is_fair)
    if not is_fair(np.asarray):
        where = str(np.argwhere(is_sure & ~np.isnan(got))[0].tolist())
        said = f"a value that depends on {which}, which is NaN, is a number"
        raise Violation(said, expected=np.where(is_sure, np.nan, got), got=got, where=where)


def _jumps(seen: Observation, index: int, signs: Array) -> bool:
    """Whether the value is a number at infinity, where it grows without end before."""
    with np.errstate(all="ignore"):
        before, there = (
            np.asarray(
                seen.op.reference(
                    *(signs * size if i == index else extended(x) for i, x in enumerate(seen.case.operands)),
                    **seen.case.parameters,
                )
            )
            for size in (FAR[-1], np.inf)
        )
    return bool((np.isfinite(there) & (np.abs(before) > FAR[0])).any())


def _hold_limit(
    got: Array | None, limit: Array, size: Array, count: int, dtype: np.dtype[np.floating], what: str
) -> None:
    """Claim that each entry is its limit, where there is one, or NaN.

    Args:
        size: that of all the terms which an entry is the sum of.
        count: how many they are; one by one in any order, each adds half a unit of that size (Higham 2002, 4.2).
    """
    known = ~np.isnan(limit)
    expected = np.where(known, limit, 0)
    sizes = np.maximum(1, np.where(np.isfinite(size), size, 1))
    allowed = np.where(known, (SLACK + count / 2) * np.finfo(dtype).eps * sizes, np.inf)
    values = np.zeros(limit.shape, dtype) if got is None else got

    def is_fair(altered: Callable[[Array], Array]) -> bool:
        wrong = altered(values).astype(EXTENDED)
        with np.errstate(invalid="ignore"):
            near = np.isnan(wrong) | (wrong == expected) | (np.abs(wrong - expected) <= allowed) | ~known
        return bool(near.all())

    tolerances.put(is_fair)
    decides(known.any())  # also by a slope that is not zero where the limit is
    hold_close(np.where(np.isnan(values), expected, values), expected, allowed, what)


def _signs(domain: Domain, x: Array) -> Array:
    """The sign of each entry's infinity: of the end where the domain has one, in turns where it has two."""
    turns = 1 - 2 * (np.arange(x.size).reshape(x.shape) % 2)
    return np.asarray(np.sign(turns + 2.0 * (domain.high == np.inf) - 2.0 * (domain.low == -np.inf)))


def _with(seen: Observation, index: int, values: Array) -> list[Array]:
    operands = [np.array(x) for x in seen.case.operands]
    operands[index] = values.astype(operands[index].dtype)
    return operands


def _slopes(seen: Observation, index: int, values: Array) -> list[Array]:
    """The rule's gradients, in extended precision, with other values of an operand; those of every copy of a broadcast one."""
    given = [*map(extended, seen.case.operands)]
    given[index] = values.astype(EXTENDED)
    operands = [np.array(x) for x in np.broadcast_arrays(*given)]
    with np.errstate(all="ignore"):
        z = seen.op.reference(*operands, **seen.case.parameters)
        g = extended(seen.case.cotangents[0])
        return [
            np.asarray(seen.op.rule(i, g, z, *operands, **seen.case.parameters), EXTENDED) for i in seen.wrt
        ]


def _limits(gradients: Sequence[Sequence[Array]]) -> list[Array]:
    """Of each operand the limit of its gradients: where they settle, vanish or grow without end; NaN elsewhere."""
    limits = []
    with np.errstate(all="ignore"):
        for first, second, third in zip(*gradients, strict=True):
            is_settled = np.abs(third - second) <= SETTLED * np.abs(third)
            vanishes = (np.abs(third) <= np.abs(second) / 4) & (np.abs(second) <= np.abs(first) / 4)
            grows = (np.abs(third) >= 1e9 * np.abs(second)) & (np.abs(second) >= 1e9 * np.abs(first))
            grows &= np.abs(third) > 1  # a sum that cancels grows from 0 to the rounding of its terms
            known = [is_settled, vanishes & (np.abs(third) < SETTLED), grows]
            limits.append(np.select(known, [third, np.zeros_like(third), np.sign(third) * np.inf], np.nan))
    return limits


# ---- zeros of either sign ---------------------------------------------------------------------------------

CONSTANTS = (
    ("NaN, at one entry", "an entry that no zero is moved to may be anything: other checks are about it"),
)
MOVING = frozenset({"shape", "indexing"})  # families whose ops move entries


def _keeps_zeros(op: Op) -> bool:
    is_function = {Trait.ELEMENTWISE, Trait.HOLOMORPHIC} <= op.traits and _is_odd_at_zero(op)
    moves = op.name == WHERE or family_of(op) in MOVING
    return is_function or (moves and op.name != LINSPACE)  # which is a sum of two products


@lru_cache(maxsize=512)
def _is_odd_at_zero(op: Op) -> bool:
    """Whether it is a function of one operand, without parameters, that is 0 at 0 and -0 at -0."""
    if len(op.domains) != 1 or Trait.VARIADIC in op.traits:
        return False
    zeros = np.array([0.0, -0.0])
    with np.errstate(all="ignore"):
        try:
            values = np.asarray(op.reference(zeros))
        except TypeError:  # it has parameters
            return False
    return values.shape == zeros.shape and np.array_equal(_signed(values), _signed(zeros))


@op_check(
    *("E26", "signed-zeros"),
    applies=_keeps_zeros,
    once_per_signature=True,
    compiles=True,
    dtypes=DOUBLE,
    satisfied_by=CONSTANTS,
)
def zeros_keep_their_sign(seen: Observation) -> None:
    """A zero that an op moves, or that an odd function is given, has its sign in the value."""
    rng = np.random.default_rng(len(seen.case.label))
    operands = [
        np.asarray(np.copysign(np.zeros_like(x), rng.choice((1.0, -1.0), x.shape)))  # of a 0-d array a number
        if x.dtype.kind == "f"
        else np.array(x)
        for x in seen.case.operands
    ]
    zeros = _references(seen, operands)
    given = _signs_given(seen, operands)
    # a reference that adds to a zero, 0 + -0, loses a sign, and so may an engine
    is_kept = (_signed(zeros) == given) & (zeros == 0)
    if not (given[is_kept] < 0).any():
        raise NotThisCase("no zero is moved that has a sign")
    decides(True)
    function = seen.backend.call(seen.op.name, seen.case.parameters)
    values = [np.ravel(plain(seen.backend, z)) for z in seen.backend.forward(function, operands)]
    value, what = np.concatenate(values), "the signs of the zeros of the value"
    if value.shape == zeros.shape:  # other checks report what is not
        hold_equal(np.where(is_kept, _signed(value), 1.0), np.where(is_kept, given, 1.0), what)


def _references(seen: Observation, operands: Sequence[Array]) -> Array:
    """The reference values, flattened."""
    with np.errstate(all="ignore"):
        values = as_tuple(seen.op.reference(*operands, **seen.case.parameters))
    return np.concatenate([np.ravel(z) for z in values])


def _signed(zeros: Array) -> Array:
    """1 for a zero, -1 for a negative one; 0 for what is none."""
    return np.where(zeros == 0, np.where(np.signbit(zeros), -1.0, 1.0), 0.0)


def _signs_given(seen: Observation, operands: Sequence[Array]) -> Array:
    """The sign of the zero that every output is moved from, or of that which a function is given; 0 where there is none.

    Of numbered entries the number says which one an output is; NotThisCase where outputs are other numbers, or do not
    change their sign with the entries', as the larger of two does not.
    """
    if Trait.ELEMENTWISE in seen.op.traits and len(operands) == 1:
        return _signed(np.ravel(operands[0]))
    signs = np.concatenate([_signed(np.ravel(x)) for x in operands if x.dtype.kind == "f"])
    moved, negated = (_references(seen, _numbered(operands, sign)) for sign in (1.0, -1.0))
    if not np.array_equal(moved, -negated) or not np.isin(moved, np.arange(1.0 + len(signs))).all():
        raise NotThisCase("what it computes is a sum, or the larger of two")
    return np.asarray(np.concatenate([[0.0], signs])[moved.astype(int)])


def _numbered(operands: Sequence[Array], sign: float) -> list[Array]:
    """Operands whose entries are 1, 2, 3 and so on, times a sign."""
    numbered, first = [], 1
    for x in operands:
        is_real = x.dtype.kind == "f"
        numbered.append(
            sign * np.arange(first, first + x.size, dtype=float).reshape(x.shape) if is_real else x
        )
        first += x.size if is_real else 0
    return numbered
