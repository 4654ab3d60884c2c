"""Memory layouts of arrays."""

from __future__ import annotations

from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]

LAYOUTS = ("C", "F", "strided", "reversed", "offset", "expanded", "read-only")

CHANNELS_LAST = "channels last"  # all arrays of a call have it together, or none


def laid_out(array: Array, layout: str) -> Array:
    """A copy of `array` in this memory layout, of the same shape and dtype.

    C and F: contiguous in either order. strided: every second entry of a larger buffer. reversed:
    negative strides. offset: away from the start of its buffer. expanded: stride 0 along the first
    axis, for an array that repeats along it; any other array stays in C order. read-only: not writable.
    channels last: the second of three or more axes varies fastest, as image libraries keep images.
    """
    if layout == CHANNELS_LAST and array.ndim > 2:
        return np.moveaxis(np.array(np.moveaxis(array, 1, -1), order="C"), -1, 1)
    if layout == "read-only":
        copied = np.array(array, order="C")
        copied.flags.writeable = False
        return copied
    if layout == "F":
        return np.array(array, order="F")
    if layout == "strided" and array.ndim:
        buffer = np.zeros((*array.shape[:-1], 2 * array.shape[-1]), array.dtype)
        buffer[..., ::2] = array
        return buffer[..., ::2]
    if layout == "reversed" and array.ndim:
        flipped = (slice(None, None, -1),) * array.ndim
        return np.array(array[flipped], order="C")[flipped]  # a copy even where flipping changes nothing
    if layout == "offset":
        buffer = np.zeros(array.size + 3, array.dtype)
        buffer[3:] = array.ravel()
        return buffer[3:].reshape(array.shape)
    if layout == "expanded" and repeats_along_first_axis(array):
        base = np.array(array[:1])
        return np.lib.stride_tricks.as_strided(base, array.shape, (0, *base.strides[1:]))
    return np.array(array, order="C")


def repeats_along_first_axis(array: Array) -> bool:
    """Whether all rows of an array are equal."""
    return array.ndim > 0 and array.shape[0] > 0 and bool((array == array[:1]).all())
