"""How far the numbers of a failure are from those that are expected."""

from __future__ import annotations

from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

SMALLEST = 5e-324  # what is wrong has an error, where the quotient underflows, too

Lost = Literal["nan", "zero", "inf"]


class Difference(NamedTuple):
    """What is wrong with the numbers of a failure, by what stands in place of those that are expected.

    Each is the largest error of such entries, relative to the largest expected one: 0 where there are none, infinite where
    that is no number.
    """

    number: float
    nan: float = 0.0
    zero: float = 0.0
    inf: float = 0.0

    @property
    def error(self) -> float:
        """The largest."""
        return max(self)

    def is_within(self, *bounds: float | Lost) -> bool:
        """Whether each wrong entry is what one of the words says, or is off by no more than the largest bound."""
        bound = max((each for each in bounds if not isinstance(each, str)), default=0.0)
        return all(error <= bound for name, error in self._asdict().items() if name not in bounds)


def difference(expected: Any, got: Any, allowed: Any = None) -> Difference:
    """The largest |got - expected| over the largest |expected|, of arrays, or of what a run file has of them.

    A number is infinitely wrong where the shape is another, and of a failure that is no difference of numbers: they
    are missing, or equal. Entries that may be anything, of which infinity is allowed, do not count, nor do those within
    what is allowed beside others that are not.
    """
    exact, found = _numbers(expected), _numbers(got)
    if exact is None or found is None or exact.shape != found.shape:
        return Difference(np.inf)
    given = _numbers(0.0 if allowed is None else allowed)
    is_usable = given is not None and given.shape in ((), exact.shape)
    bounds = np.broadcast_to(np.asarray(given if is_usable else 0.0), exact.shape)
    with np.errstate(all="ignore"):
        counts = bounds != np.inf
        differs = counts & ~((exact == found) | (np.isnan(exact) & np.isnan(found)))
        distances, sizes = np.abs(found - exact), np.abs(exact[counts & np.isfinite(exact)])
        errors = np.maximum(distances / np.max(sizes, initial=0), SMALLEST)
        wrong = differs & ~(distances <= bounds)
    errors = np.where(np.isnan(errors), np.inf, errors)
    wrong = wrong if wrong.any() else differs
    if not wrong.any():
        return Difference(np.inf)
    nan, zero = np.isnan(found), found == 0
    inf = np.isinf(found) & np.isfinite(exact) & ~nan
    return Difference(
        *(float(np.max(errors[wrong & those], initial=0)) for those in (~(nan | zero | inf), nan, zero, inf))
    )


def _numbers(values: Any) -> NDArray[Any] | None:
    """An array in double precision, also of nested lists of numbers and their names; None where these are none."""
    try:
        array = np.asarray(values)
        if array.dtype.kind in "US":  # "nan" or "1+2j", and all numbers beside it
            array = np.array([complex(text) for text in array.ravel().tolist()]).reshape(array.shape)
        return array.astype(np.complex128 if array.dtype.kind == "c" else np.float64)
    except (TypeError, ValueError):  # lists of different lengths, or no numbers
        return None
