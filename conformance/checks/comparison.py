"""Comparisons: claims that an engine's array is the expected one, exactly or within an allowance."""

from __future__ import annotations

import enum
from collections.abc import Callable, Iterable
from dataclasses import dataclass

import numpy as np

from conformance.case import Array
from conformance.collector import Collector
from conformance.dtype import finfo
from conformance.errors import Violation
from conformance.oracle.allowance import Expected, extended
from conformance.oracle.symmetry import symmetric_part

AS_WELL = ", and its entries are wrong as well"  # what is said of entries beside a wrong shape


class Decisive(enum.IntEnum):
    """What a comparison could have found wrong."""

    NOTHING = 0  # there was no entry, or everything is allowed
    NOT_ZERO = 1  # an answer that is not zero
    ZERO = 2  # an answer of zeros too: a gradient that was dropped
    REFUSAL = 3  # an answer of any kind: the call had to be refused, or could be


# Within `decisions()` every comparison puts what it could have found wrong.
decisions = Collector[Decisive]("decisions")


# Within `tolerances()` every claim that several answers satisfy puts whether its own, altered in some way, satisfies it.
tolerances = Collector[Callable[[Callable[[Array], Array]], bool]]("tolerances")


# Within `undecided()` every comparison puts how many entries may be anything, where there are any.
undecided = Collector[int]("undecided")


def decides_by_refusal() -> None:
    """Note that the engine refused a call, which is an answer without numbers."""
    decisions.put(Decisive.REFUSAL)


def decides(is_deciding: object) -> None:
    """Note whether a claim that is not a comparison of numbers could have failed."""
    decisions.put(Decisive.ZERO if is_deciding else Decisive.NOTHING)


def _note(expected: Array, allowed: Array | float) -> None:
    is_not_zero = ~(np.abs(expected) <= allowed)  # NaN is not
    is_anything = np.asarray(allowed == np.inf)
    if not is_anything.any():  # as nearly always
        decisions.put(Decisive(int(is_not_zero.any()) + (expected.size > 0)))
        return
    is_decided = np.broadcast_to(~is_anything, expected.shape)
    undecided.put(int(is_decided.size - is_decided.sum()))
    decisions.put(Decisive(int((is_decided & is_not_zero).any()) + int(is_decided.any())))


@dataclass(frozen=True)
class Comparison:
    """Arrays of one shape, entry by entry: how far an engine's values are from the exact ones.

    Attributes:
        what: the engine's array, in words.
        ratio: the error over what is allowed.
        ulps: the error in units in the last place at the conditioning of the case.
        is_decided: the entries that are compared: those for which the dtype has a number.
        error: the largest ratio; 0 where there are no entries.
        ulp: the error of that entry in units in the last place of its exact value.
    """

    what: str
    ratio: Array
    ulps: Array
    is_decided: Array
    error: float = 0.0
    ulp: float = 0.0

    @property
    def place(self) -> tuple[int, ...]:
        """The entry of the largest ratio."""
        return tuple(map(int, np.unravel_index(int(np.argmax(self.ratio)), self.ratio.shape)))


def compare(got: Array | None, expected: Expected, what: str) -> Comparison:
    """Compare an engine's array with the exact one; None stands for zeros.

    Raises Violation where their shapes differ.
    """
    values = np.zeros(expected.exact.shape) if got is None else got
    if values.shape != expected.exact.shape:
        also = AS_WELL if _differs_in_another_shape(values, expected) else ""
        raise Violation(
            f"{what} has shape {values.shape}, expected {expected.exact.shape}{also}",
            expected=_shown(expected),
            got=values,
        )
    is_decided = np.asarray(
        expected.allowed != np.inf
    )  # where the textbook rule overflows, nothing is decided
    with np.errstate(all="ignore"):
        values = symmetric_part(values) if expected.is_symmetric else values
        is_met = values == expected.exact
        if is_met.all():
            return Comparison(what, np.zeros(is_met.shape), np.zeros(is_met.shape), is_decided)
        is_met |= np.isnan(values) & np.isnan(expected.exact)
        is_met |= _may_overflow(values, expected)
        distance = np.abs(extended(values) - expected.exact)
        ratio = _quotient(distance, expected.allowed, is_met | ~is_decided)
        ulps, units = (_quotient(distance, unit, is_met) for unit in (expected.ulp, expected.unit))
    worst = int(ratio.argmax())
    return Comparison(what, ratio, units, is_decided, float(ratio.flat[worst]), float(ulps.flat[worst]))


def differ_in_axes_of_one(shape: tuple[int, ...], other: tuple[int, ...]) -> bool:
    """Whether two shapes differ in axes of one entry alone, so that their entries can be compared."""
    return [n for n in shape if n != 1] == [n for n in other if n != 1]


def _differs_in_another_shape(values: Array, expected: Expected) -> bool:
    """Whether the entries are wrong, beside a shape with other axes of one entry: a known shape must not hide that."""
    shape = expected.exact.shape
    return (
        differ_in_axes_of_one(values.shape, shape) and compare(values.reshape(shape), expected, "").error > 1
    )


def _quotient(distance: Array, unit: Array, is_nothing: Array) -> Array:
    """A distance in units, infinite where there is no number; 0 where it is nothing."""
    quotient = np.where(is_nothing, 0, distance / unit)
    quotient[np.isnan(quotient)] = np.inf
    return quotient


def _may_overflow(values: Array, expected: Expected) -> Array | bool:
    """Where an infinity stands for a number so large that, within its allowance, it is none of the type any more."""
    if values.dtype.kind == "c" or not np.isinf(values).any():
        return False
    reach = np.where(np.signbit(values), -expected.exact, expected.exact) + expected.allowed
    return np.asarray(np.isinf(values) & (expected.exact != 0) & (reach > float(finfo(values.dtype).max)))


def hold_within(
    got: Array | None, expected: Expected, what: str, claim: str = "differs from the reference VJP"
) -> Comparison:
    """Claim that `got` is within what is allowed; returns how far off it is.

    A gradient of None stands for zeros: it is right where zeros are.
    """
    _note(expected.exact, expected.allowed)
    compared = compare(got, expected, what)
    if compared.error > 1:
        raise Violation(
            f"{what} was dropped: the engine gave None" if got is None else f"{what} {claim}".strip(),
            expected=_shown(expected),
            got=np.zeros(expected.exact.shape) if got is None else got,
            allowed=expected.allowed.astype(float),
            where=str([*compared.place]),
            error=compared.error,
            ulp=compared.ulp,
            because=expected.why(compared.place),
            comparisons=(compared,),
        )
    return compared


def hold_all_within(
    arrays: Iterable[tuple[Array | None, Expected, str]], claim: str = "differs from the reference VJP"
) -> list[Comparison]:
    """Claim that every array is within what is allowed; a failure carries the comparisons before it."""
    compared: list[Comparison] = []
    for got, expected, what in arrays:
        try:
            compared.append(hold_within(got, expected, what, claim))
        except Violation as failure:
            failure.comparisons = (*compared, *failure.comparisons)
            raise
    return compared


def _shown(expected: Expected) -> Array:
    """The exact values in double precision."""
    return expected.exact.astype(complex if np.iscomplexobj(expected.exact) else float)


def hold_equal(got: Array | None, expected: Array | None, what: str, *, slack: float = 0.0) -> None:
    """Claim that two arrays are equal bit for bit, but for the sign of zero and the payload of NaN.

    `expected` may be the engine's own, and not have arrived. `slack` is a distance that is ignored: that of an underflow.
    """
    if expected is None:
        raise Violation(f"{what}: nothing to compare it with, the engine gave None")
    _note(expected, slack)
    values = np.zeros(expected.shape, expected.dtype) if got is None else got
    if values.shape != expected.shape:
        raise Violation(
            f"{what}: shape {values.shape}, expected {expected.shape}", expected=expected, got=values
        )
    same = (values == expected) | (np.isnan(values) & np.isnan(expected))
    if slack:
        same |= np.abs(values - expected) <= slack
    if not same.all():
        place = np.unravel_index(int(np.argmin(same)), same.shape)
        said = f"{what}: dropped, the engine gave None" if got is None else what
        raise Violation(said, expected=expected, got=values, where=str([int(i) for i in place]))


def hold_close(got: Array | None, expected: Array, allowed: Array, what: str) -> None:
    """Claim that two arrays of the engine's own differ by no more than `allowed`; that measures no accuracy."""
    if expected.shape != allowed.shape:  # the engine's, which another clause may not have seen
        raise Violation(f"{what}: shape {expected.shape}, expected {allowed.shape}", got=expected)
    if got is not None and got.shape == expected.shape and (got == expected).all():
        _note(expected, allowed)
        return
    ulp = np.spacing(np.abs(expected)).astype(np.longdouble)
    try:
        hold_within(got, Expected(expected.astype(np.longdouble), allowed, ulp), what, claim="")
    except Violation as failure:
        failure.comparisons = ()
        raise


def hold_close_within_either(
    got: Array | None, expected: Array, enough: Array, derived: Callable[[], Array], what: str
) -> None:
    """The same within an allowance that is known already, or else within the derived one, which costs an evaluation."""
    try:
        hold_close(got, expected, enough, what)
    except Violation:
        hold_close(got, expected, derived(), what)
