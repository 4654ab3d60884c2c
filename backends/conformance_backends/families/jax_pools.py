"""Means and maxima of windows as layers made with jax have them: jax.lax.reduce_window.

The table is read as source too, like those of `jax_ops`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

import jax
import jax.numpy as jnp

from conformance.errors import Unsupported


def beyond(length: int, size: int, stride: int, padding: int, ceil_mode: bool) -> int:
    """How far windows reach beyond the margin behind an axis: those count that begin before it."""
    steps = -(-(length + 2 * padding - size) // stride) if ceil_mode else 0
    if steps * stride >= length + padding:
        steps -= 1
    return max(0, steps * stride + size - length - 2 * padding)


def windows(x: Any, kernel_size: Any, stride: Any, padding: Any, ceil_mode: bool) -> Any:
    """The sides of the windows, their strides, and the padding before and behind each axis."""
    along = zip(x.shape[2:], kernel_size, stride, padding, strict=True)
    pads = [(given[3], given[3] + beyond(*given, ceil_mode)) for given in along]
    return (1, 1, *kernel_size), (1, 1, *stride), ((0, 0), (0, 0), *pads)


def avg_pool(
    x: Any,
    kernel_size: Any,
    stride: Any,
    padding: Any,
    ceil_mode: bool,
    count_include_pad: bool,
    divisor_override: Any = None,
) -> Any:
    """The sums of windows over their sizes, over the sums of ones, or over a number."""
    placed = windows(x, kernel_size, stride, padding, ceil_mode)
    sums = jax.lax.reduce_window(x, 0.0, jax.lax.add, *placed)
    if divisor_override is not None:
        return sums / divisor_override
    if count_include_pad and not ceil_mode:
        return sums / math.prod(kernel_size)
    ones, pads = jnp.ones_like(x), placed[2]
    if count_include_pad:
        ones = jnp.pad(ones, ((0, 0), (0, 0), *((p, p) for p in padding)), constant_values=1)
        pads = [(0, behind - before) for before, behind in pads]
    return sums / jax.lax.reduce_window(ones, 0.0, jax.lax.add, *placed[:2], pads)


def max_pool(x: Any, kernel_size: Any, stride: Any, padding: Any, dilation: Any, ceil_mode: bool) -> Any:
    """jax.lax.reduce_window, whose gradient takes no entries apart."""
    if any(step != 1 for step in dilation):
        raise Unsupported("jax has no gradient of a maximum over windows whose entries are apart")
    placed = windows(x, kernel_size, stride, padding, ceil_mode)
    return jax.lax.reduce_window(x, -jnp.inf, jax.lax.max, *placed)


OPS: Mapping[str, Callable[..., Any]] = {
    "avg_pool1d": lambda x, kernel_size, stride, padding, ceil_mode, count_include_pad: avg_pool(
        x, (kernel_size,), (stride,), (padding,), ceil_mode, count_include_pad
    ),
    "avg_pool2d": avg_pool,
    "avg_pool3d": avg_pool,
    "max_pool1d": lambda x, kernel_size, stride, padding, dilation, ceil_mode: max_pool(
        x, (kernel_size,), (stride,), (padding,), (dilation,), ceil_mode
    ),
    "max_pool2d": max_pool,
    "max_pool3d": max_pool,
}
