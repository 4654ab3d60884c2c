"""The control whose elementary functions are two units off, up or down by the place of an entry.

No standard says how exp or tanh is rounded. Vector units compute the entries at the end of an array by other code
than those before it, so that equal operands give unequal results; here they do at every second place.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from conformance.oracle.rounding import PICKING, ROUNDED_TO_NEAREST
from conformance_backends.mutants.controls.sums import Array, Summed

UNITS = 2  # in the last place


class Unsteady(Summed):
    """An array whose elementary functions are off, and whose sums are NumPy's."""

    @staticmethod
    def total(terms: Array) -> Array:  # type: ignore[override]  # a class variable there
        """NumPy's own sum."""
        return np.asarray(terms.sum(axis=-1))

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *operands: Any, **keywords: Any) -> Any:
        """The result, moved by `UNITS` where no standard rounds it."""
        result = super().__array_ufunc__(ufunc, method, *operands, **keywords)
        if ufunc.__name__ in ROUNDED_TO_NEAREST | PICKING or method != "__call__" or "out" in keywords:
            return result
        return moved(result).view(type(self)) if isinstance(result, Unsteady) else result


def moved(values: Array) -> Array:
    """Every entry two units up or down, in turn; zeros and ones, which libraries give exactly, as they are."""
    plain = np.asarray(values).view(np.ndarray)
    if plain.dtype.kind == "c":
        return np.asarray(moved(plain.real) + 1j * moved(plain.imag)).astype(plain.dtype)
    sides = np.where(np.arange(plain.size) % 2, -UNITS, UNITS).reshape(plain.shape).astype(plain.dtype)
    is_exact = (plain == 0) | (np.abs(plain) == 1) | ~np.isfinite(plain)
    return np.asarray(np.where(is_exact, plain, plain + sides * np.spacing(plain)), plain.dtype)
