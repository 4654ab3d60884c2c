"""Floating point types: NumPy's own, and bfloat16 beside them.

NumPy has no bfloat16. ml_dtypes adds it as a foreign type, in which numbers can be kept but not well
computed: `np.finfo` and `dtype.kind` do not know it, Python's numbers promote it to float32, sums of it
add up in it (ones, to 256), and einsum refuses it. So no formula is evaluated in it: its numbers are
*carried* in float32, of which they are a part, and every result is rounded to it. That is what hardware
and engines do at best: wide within a step, narrow between steps.
"""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np

Array = np.ndarray[Any, Any]
BFLOAT16: np.dtype[Any] = np.dtype(ml_dtypes.bfloat16)
CARRIER: np.dtype[Any] = np.dtype(np.float32)
HALF = frozenset({"float16", "bfloat16"})


def is_real(dtype: np.dtype[Any]) -> bool:
    """Whether numbers of a type are real and have gradients."""
    return dtype.kind == "f" or dtype == BFLOAT16


def is_inexact(dtype: np.dtype[Any]) -> bool:
    """Whether numbers of a type are real or complex, and have gradients."""
    return is_real(dtype) or dtype.kind == "c"


def finfo(dtype: Any) -> Any:
    """The limits of a type: `np.finfo`, which knows bfloat16 too."""
    is_foreign = np.dtype(dtype) == BFLOAT16
    return ml_dtypes.finfo(dtype) if is_foreign else np.finfo(dtype)  # type: ignore[no-untyped-call]


def carried(value: Any) -> Any:
    """The same numbers in a type in which NumPy computes: of an array, of each of a tuple, of anything else."""
    if isinstance(value, tuple):
        return tuple(map(carried, value))
    is_narrow = isinstance(value, (np.ndarray, BFLOAT16.type)) and value.dtype == BFLOAT16
    return np.asarray(value, CARRIER) if is_narrow else value


def narrowed(result: Any, dtype: Any) -> Any:
    """What was computed of carried numbers, rounded to `dtype`; what is of another type than they, as it is."""
    if isinstance(result, tuple):
        return tuple(narrowed(part, dtype) for part in result)
    is_carried = np.dtype(dtype) == BFLOAT16 and result.dtype == CARRIER
    if not is_carried:
        return result
    with np.errstate(invalid="ignore"):  # ml_dtypes warns of a NaN that was one before
        return result.astype(BFLOAT16)
