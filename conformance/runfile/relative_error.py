"""The relative error of a failure: how far its numbers are from those that are expected."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray


def relative_error(expected: Any, got: Any, allowed: Any = None) -> float:
    """The largest |got - expected| over the largest |expected|, of arrays, or of what a run file has of them.

    It is infinite where there is no number in place of one, or another shape, and of a failure that is no difference of
    numbers: they are missing, or equal. Entries that may be anything, of which infinity is allowed, do not count.
    """
    exact, found = _numbers(expected), _numbers(got)
    if exact is None or found is None or exact.shape != found.shape:
        return float("inf")
    with np.errstate(all="ignore"):
        counts = np.ones(exact.shape, bool) if allowed is None else _numbers(allowed) != np.inf
        differs = counts & ~((exact == found) | (np.isnan(exact) & np.isnan(found)))
        distances, sizes = np.abs(found - exact)[differs], np.abs(exact[counts & np.isfinite(exact)])
        error = np.max(distances, initial=0) / np.max(sizes, initial=0)
    return float(error) if differs.any() and not np.isnan(error) else float("inf")


def _numbers(values: Any) -> NDArray[Any] | None:
    """An array in double precision, also of nested lists of numbers and their names; None where these are none."""
    try:
        array = np.asarray(values)
        if array.dtype.kind in "US":  # "nan" or "1+2j", and all numbers beside it
            array = np.array([complex(text) for text in array.ravel().tolist()]).reshape(array.shape)
        return array.astype(np.complex128 if array.dtype.kind == "c" else np.float64)
    except (TypeError, ValueError):  # lists of different lengths, or no numbers
        return None
