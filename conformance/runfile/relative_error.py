"""How far the numbers of a failure are from those that are expected."""

from __future__ import annotations

from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

Lost = Literal["nan", "zero"]


class Difference(NamedTuple):
    """What is wrong with the numbers of a failure."""

    error: float  # relative to the largest expected one; infinite where that is no number
    is_nan: bool = False  # whether NaN stands in place of numbers, and every entry beside it is right
    is_zero: bool = False  # the same of 0

    def is_within(self, bound: float | Lost) -> bool:
        """Whether it is no larger, or is what stands in place of numbers."""
        if isinstance(bound, str):
            return self.is_nan if bound == "nan" else self.is_zero
        return self.error <= bound


def difference(expected: Any, got: Any, allowed: Any = None) -> Difference:
    """The largest |got - expected| over the largest |expected|, of arrays, or of what a run file has of them.

    It is infinite where there is no number in place of one, or another shape, and of a failure that is no difference of
    numbers: they are missing, or equal. Entries that may be anything, of which infinity is allowed, do not count.
    """
    exact, found = _numbers(expected), _numbers(got)
    if exact is None or found is None or exact.shape != found.shape:
        return Difference(float("inf"))
    given = _numbers(0.0 if allowed is None else allowed)
    is_usable = given is not None and given.shape in ((), exact.shape)
    bounds = np.broadcast_to(np.asarray(given if is_usable else 0.0), exact.shape)
    with np.errstate(all="ignore"):
        counts = bounds != np.inf
        differs = counts & ~((exact == found) | (np.isnan(exact) & np.isnan(found)))
        distances, sizes = np.abs(found - exact), np.abs(exact[counts & np.isfinite(exact)])
        error = np.max(distances[differs], initial=0) / np.max(sizes, initial=0)
        lost, gone = differs & np.isnan(found), differs & (found == 0) & ~(distances <= bounds)
        is_nan, is_zero = (
            bool(those.any() and np.all((distances <= bounds)[differs & ~those])) for those in (lost, gone)
        )
    is_number = differs.any() and not np.isnan(error)
    return Difference(float(error) if is_number else float("inf"), is_nan, is_zero)


def _numbers(values: Any) -> NDArray[Any] | None:
    """An array in double precision, also of nested lists of numbers and their names; None where these are none."""
    try:
        array = np.asarray(values)
        if array.dtype.kind in "US":  # "nan" or "1+2j", and all numbers beside it
            array = np.array([complex(text) for text in array.ravel().tolist()]).reshape(array.shape)
        return array.astype(np.complex128 if array.dtype.kind == "c" else np.float64)
    except (TypeError, ValueError):  # lists of different lengths, or no numbers
        return None
