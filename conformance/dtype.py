"""Floating point dtypes: NumPy's, with bfloat16.

NumPy has no bfloat16. ml_dtypes adds it as a foreign dtype, in which NumPy stores numbers but computes badly: `np.finfo` and `dtype.kind` do not know it, Python's numbers promote it to float32, sums of it
add up in it (ones, to 256), and einsum refuses it. So no formula is evaluated in it: its numbers are
*carried* in float32, which contains them, and every result is rounded to bfloat16. The best hardware and
engines do the same: float32 within a step, bfloat16 between steps.
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
    """Whether a dtype is real and has gradients."""
    return dtype.kind == "f" or dtype == BFLOAT16


def is_inexact(dtype: np.dtype[Any]) -> bool:
    """Whether a dtype is real or complex, and has gradients."""
    return dtype.kind in "fc" or dtype == BFLOAT16


def finfo(dtype: Any) -> Any:
    """The limits of a dtype, as `np.finfo` gives them; of bfloat16 too."""
    is_foreign = np.dtype(dtype) == BFLOAT16
    return ml_dtypes.finfo(dtype) if is_foreign else np.finfo(dtype)  # type: ignore[no-untyped-call]


def carried(value: Any) -> Any:
    """The same numbers, bfloat16 arrays as float32; of a tuple each, anything else unchanged."""
    if isinstance(value, tuple):
        return tuple([carried(part) for part in value])
    is_narrow = isinstance(value, (np.ndarray, BFLOAT16.type)) and value.dtype == BFLOAT16
    return np.asarray(value, CARRIER) if is_narrow else value


def narrowed(result: Any, dtype: Any) -> Any:
    """A result that was computed of carried numbers, rounded to `dtype`; one of another dtype unchanged."""
    if isinstance(result, tuple):
        return tuple(narrowed(part, dtype) for part in result)
    is_carried = np.dtype(dtype) == BFLOAT16 and result.dtype == CARRIER
    if not is_carried:
        return result
    with np.errstate(invalid="ignore"):  # ml_dtypes warns of a NaN that was NaN before
        return result.astype(BFLOAT16)
