"""Arrays as Python writes them: their numbers, and how they lie in memory."""

from __future__ import annotations

import re
from typing import Any

import numpy as np

from conformance.backend import NDArray
from conformance.dtype import is_real
from conformance.layout import CHANNELS_LAST, laid_out

MANY_ROWS = 16


def spread(value: NDArray) -> tuple[NDArray, str]:
    """A buffer in C order, and the indexing that makes of it an array with the layout of `value`."""
    if value.flags.c_contiguous or not value.size:
        return value, ""
    if value.flags.f_contiguous and value.ndim == 2:
        return value.T, ".T"
    if value.ndim > 2 and value.strides == laid_out(value, CHANNELS_LAST).strides:
        # NumPy's moveaxis, in steps that arrays of most engines have as a method.
        steps = "".join(f".swapaxes({axis}, -1)" for axis in range(1, value.ndim - 1))
        return np.moveaxis(value, 1, -1), steps
    if value.strides[-1] == 2 * value.itemsize:
        buffer = np.zeros((*value.shape[:-1], 2 * value.shape[-1]), value.dtype)
        buffer[..., ::2] = value
        return buffer, "[..., ::2]"
    return value, ""


def method_of(view: str) -> str:
    """The method by which a buffer becomes that view; none is needed where there is no view."""
    return (
        next(iter(re.findall(r"\w+", view.partition("(")[0])), "") if view.startswith(".") else "__getitem__"
    )


def literal(value: Any) -> str:
    """Numbers as Python writes them; an empty array keeps its shape, and many equal rows are written once."""
    array = np.asarray(value)
    if is_real(array.dtype):
        array = array.astype(np.float64)
    if array.size == 0 and array.ndim > 1:
        return f"np.zeros({array.shape})"
    if array.ndim and len(array) >= MANY_ROWS and array.tobytes() == len(array) * array[0].tobytes():
        return f"[{literal(array[0])}] * {len(array)}"
    return repr(array.tolist()).replace("nan", "float('nan')").replace("inf", "float('inf')")


def is_same(left: Any, right: Any) -> bool:
    """Whether two arrays are equal, NaN to NaN; those of a type of the engine's own, which are no numbers, by their bytes."""
    kinds = {np.asarray(each).dtype.kind for each in (left, right)}
    if np.shape(left) != np.shape(right):
        return False
    if not kinds <= set("biufc"):
        return np.asarray(left).tobytes() == np.asarray(right).tobytes()
    return np.array_equal(left, right, equal_nan=kinds <= set("fc"))
