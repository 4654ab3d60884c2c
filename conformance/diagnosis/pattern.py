"""What a wrong result is beside the expected one: a multiple of it, its opposite, its entries in other places.

Such a sentence names the slip more often than any single number does: a forgotten sign, a sum in place of a mean, an
axis that is not summed, indices that are not inverted.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np

from conformance.case import Array
from conformance.dtype import BFLOAT16, finfo
from conformance.errors import Violation

ROOM = 8.0  # units in the last place beside what is allowed: a multiple has rounding errors of its own
CLEAR = 8.0  # times what is allowed: a smaller entry is a multiple of everything
DIGITS = 4  # of a factor that has no name
DECIDING = 5  # a size; a smaller one is a factor by chance: of x³, or of three contributions
PLAIN = (1.5, 3.0, -2.0, -0.5)  # factors that one entry shows, where it has more digits than chance explains
SHORT = 2.0**12  # of a number of so few digits, as samples often are, a plain factor is no surprise
SINGLE = float(np.finfo(np.float32).eps)
MANY, SMALL = 5, 1e-3  # entries that all go one way by chance once in sixteen times; parts of an entry
TO_SINGLE = "what is expected to the digits of single precision, and no further"
LEAST = 1 / 1024  # of it: what is right to more digits has lost them otherwise


def pattern_of(failure: Violation) -> str:
    """What the numbers of a failure are beside those expected, as a clause; empty where they are nothing that has a name."""
    expected, got = _numbers(failure.expected), _numbers(failure.got)
    if expected is None or got is None or expected.shape != got.shape or not np.isfinite(expected).all():
        return ""
    room = _room(failure, expected)
    with np.errstate(all="ignore"):
        if not np.isfinite(got).all():
            return next(_parts(expected, got, ~np.isfinite(got)), "no finite number anywhere")
        found = next(_patterns(expected, got, room, float(finfo(np.asarray(failure.got).dtype).eps)), "")
    given, due = (np.asarray(values).dtype for values in (failure.got, failure.expected))
    if (
        found == TO_SINGLE and due == np.float32
    ):  # another dtype, of which the numbers are right, is no loss of digits
        return f"of {given}, where {due} is expected; what is expected to the digits of that"
    return found


def _numbers(values: Any) -> Array | None:
    """An array of inexact numbers in double precision; None where the values are something else."""
    if not isinstance(values, np.ndarray | np.generic | float | complex):
        return None
    array = np.asarray(values)
    if array.dtype.kind == "c":
        return array.astype(np.complex128)
    is_narrow = array.dtype == BFLOAT16
    return array.astype(np.float64) if array.dtype.kind == "f" or is_narrow else None


def _room(failure: Violation, expected: Array) -> Array:
    """How far entries may be apart that are called equal."""
    eps = float(finfo(np.asarray(failure.got).dtype).eps)
    given = np.asarray(0.0 if failure.allowed is None else failure.allowed, np.float64)
    allowed = np.where(np.isfinite(given), given, 0.0) if given.shape in ((), expected.shape) else 0.0
    return np.broadcast_to(allowed + ROOM * eps * np.abs(expected).max(initial=0.0), expected.shape)


def _patterns(expected: Array, got: Array, room: Array, eps: float) -> Iterator[str]:
    """What is so, the plainest first."""

    def is_got(other: Array, times: float = 1.0) -> bool:
        return other.shape == got.shape and bool((np.abs(got - other) <= room * max(1.0, times)).all())

    clear = np.abs(expected) > CLEAR * room
    if not clear.any() or is_got(expected):
        return
    if not got.any():
        yield "zero everywhere"
    if expected.dtype.kind == "c" and is_got(expected.conj()):
        yield "the complex conjugate of what is expected"
    yield from _multiples(expected, got, clear, np.abs(got - expected) > room, is_got)
    if np.count_nonzero(clear) == 1 and eps <= SINGLE and is_got(got * clear):
        yield from _plain(expected[clear].item(), got[clear].item(), eps)
    if expected.dtype.kind != "c" and is_got(np.abs(expected)):
        yield "what is expected, without its signs"
    yield from _places(expected, got, is_got)
    if expected.size > 1 and is_got(expected + (got - expected).ravel()[0]):
        yield f"what is expected plus {_number((got - expected).ravel()[0])} in every entry"
    yield from _one_way(expected, got, clear & (np.abs(got - expected) > room), eps)
    off = np.abs(got - expected)
    if (off <= SINGLE * np.abs(expected)).all() and (off > SINGLE * LEAST * np.abs(expected)).any():
        yield TO_SINGLE
    yield from _parts(expected, got, np.abs(got - expected) > room)


def _multiples(expected: Array, got: Array, clear: Array, is_wrong: Array, is_got: Any) -> Iterator[str]:
    if is_got(-expected):
        yield "what is expected with the opposite sign"
    place = np.unravel_index(np.argmax(np.abs(expected)), expected.shape)
    named = {2.0: "", 0.5: ""} | (_sizes(expected.shape) if np.count_nonzero(clear) > 1 else {})
    measured = (got[place] / expected[place]).item()
    if abs(measured - 1) < 10.0**-DIGITS:  # of which right entries are a multiple, too
        clear = clear & is_wrong
    for factor in (*named, *((measured,) if np.count_nonzero(clear) > 1 else ())):
        if factor and is_got(factor * expected, abs(factor)):
            yield f"what is expected times {_number(factor)}{named.get(factor, '')}"


def _one_way(expected: Array, got: Array, is_wrong: Array, eps: float) -> Iterator[str]:
    """Entries that are all too large, or all too small, by a small part of each: rounding would go both ways."""
    parts = ((got - expected)[is_wrong] / expected[is_wrong]).real
    if parts.size < MANY or np.abs(parts).max() > SMALL or not ((parts > 0).all() or (parts < 0).all()):
        return
    how = "large" if parts[0] > 0 else "small"
    least, most = np.abs(parts).min(), np.abs(parts).max()
    is_single = eps < SINGLE**2 and SINGLE / 4 < most < 16 * SINGLE
    cause = "a factor in single precision" if is_single else "a small number beside a divisor"
    yield f"what is expected, every entry too {how} by {least:.1g} to {most:.1g} of itself, as of {cause}"


def _plain(expected: Any, got: Any, eps: float) -> Iterator[str]:
    """A plain factor of one number, to nearly all of its digits, of which there are many."""
    if isinstance(expected, complex) or (math.frexp(expected)[0] * SHORT).is_integer():
        return
    for factor in PLAIN:
        if abs(got - factor * expected) <= ROOM * eps * abs(factor * expected):
            yield f"what is expected times {_number(factor)}"


def _sizes(shape: tuple[int, ...]) -> dict[float, str]:
    """What a factor is that is a size, or one over it."""
    size = math.prod(shape)
    sizes = {n: f"the length of axis {axis}" for axis, n in enumerate(shape)} | {
        size: "the number of its entries"
    }
    return {
        factor: f", {'' if n >= DECIDING else 'which is also '}{how}{what}"
        for n, what in sizes.items()
        if n > 2  # twice, or half, has more causes than a length of 2
        for factor, how in ((float(n), ""), (1.0 / n, "one over "))
    }


def _places(expected: Array, got: Array, is_got: Any) -> Iterator[str]:
    """The expected entries where they do not belong."""
    if expected.ndim > 1 and is_got(np.swapaxes(expected, -1, -2)):
        yield "what is expected with its last two axes exchanged"
    for axis in range(expected.ndim):
        if is_got(np.flip(expected, axis)):
            yield f"what is expected in reverse order along axis {axis}"
        for steps in (1, -1):
            if expected.shape[axis] > 2 and is_got(np.roll(expected, steps, axis)):
                yield f"what is expected, moved by {steps} along axis {axis}"
    if np.array_equal(np.sort(expected, axis=None), np.sort(got, axis=None)):
        yield "the expected entries in other places"


def _parts(expected: Array, got: Array, is_wrong: Array) -> Iterator[str]:
    """Which entries are wrong, where it is some of them."""
    wrong = int(np.count_nonzero(is_wrong))
    if not 0 < wrong < expected.size:
        return
    how = ", which are " + _kind(got[is_wrong]) if _kind(got[is_wrong]) else ""
    if expected.ndim == 2 and expected.shape[0] == expected.shape[1] and expected.size > 1:
        diagonal = np.eye(len(expected), dtype=bool)
        for mask, what in ((diagonal, "on the diagonal"), (np.tri(len(expected), k=-1, dtype=bool), "below the diagonal"),
                           (np.tri(len(expected), k=-1, dtype=bool).T, "above the diagonal")):  # fmt: skip
            if (mask == is_wrong).all():
                yield f"right but for the entries {what}{how}"
    for axis in range(expected.ndim):
        others = tuple(other for other in range(expected.ndim) if other != axis)
        along = np.atleast_1d(is_wrong.any(axis=others))
        if np.count_nonzero(along) == 1 and np.atleast_1d(is_wrong.all(axis=others))[along].all():
            yield f"right but for the entries with index {int(np.argmax(along))} on axis {axis}{how}"
    yield f"right in {expected.size - wrong} of {expected.size} entries{how and f'; the others are {_kind(got[is_wrong])}'}"


def _kind(wrong: Array) -> str:
    """What wrong entries are, if they are all alike."""
    if not wrong.any():
        return "zero"
    return "NaN" if np.isnan(wrong).all() else "not finite" if not np.isfinite(wrong).any() else ""


def _number(value: Any) -> str:
    """A number as it is read; one that is close to 1 by how far it is from it."""
    if not isinstance(value, complex) and 0 < abs(value - 1) < 10.0**-DIGITS:
        return f"1 {'+' if value > 1 else '-'} {abs(value - 1):.2g}"
    return f"{value:.{DIGITS}g}"
