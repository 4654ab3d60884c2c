"""How far the numbers of a failure are from those that are expected."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray


class Difference(NamedTuple):
    """What is wrong with the numbers of a failure."""

    error: float  # relative to the largest expected one; infinite where that is no number
    is_nan: bool = False  # whether NaN stands in place of numbers, and every entry beside it is right


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
        lost = differs & np.isnan(found)
        is_nan = lost.any() and np.all((distances <= bounds)[differs & ~lost])
    return Difference(float(error) if differs.any() and not np.isnan(error) else float("inf"), bool(is_nan))


def _numbers(values: Any) -> NDArray[Any] | None:
    """An array in double precision, also of nested lists of numbers and their names; None where these are none."""
    try:
        array = np.asarray(values)
        if array.dtype.kind in "US":  # "nan" or "1+2j", and all numbers beside it
            array = np.array([complex(text) for text in array.ravel().tolist()]).reshape(array.shape)
        return array.astype(np.complex128 if array.dtype.kind == "c" else np.float64)
    except (TypeError, ValueError):  # lists of different lengths, or no numbers
        return None
