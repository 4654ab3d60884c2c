"""Pooling of images (N, C, H, W): means and maxima over the windows that `unfold` makes columns of."""

from __future__ import annotations

from typing import Any

import numpy as np

from conformance.op import DISTINCT, Op
from conformance.ops.convolution import unwindowed, windows_of
from conformance.ops.dispatch import dispatched
from conformance.ops.laws import windows
from conformance.ops.laws.windows import Pair, window_counts
from conformance.ops.reductions import routed
from conformance.ops.rows import general, linear
from conformance.ops.traits import HOLOMORPHIC, PIECEWISE_LINEAR, Homogeneous

# -- pooling ---------------------------------------------------------------------------------------


def padded_image(x: Any, padding: Pair, value: float) -> Any:
    """The image with margins of a value; zeros are left to `unfold`."""
    return np.pad(x, pad_width=((0, 0), (0, 0), (padding[0],) * 2, (padding[1],) * 2), constant_values=value)


def pooled(x: Any, kernel_size: Pair, stride: Pair, padding: Pair) -> tuple[int, ...]:
    """The shape that pooling gives."""
    return (*x.shape[:2], *window_counts(x.shape[2:], kernel_size, stride, padding, (1, 1)))


def divisors(x: Any, kernel_size: Pair, stride: Pair, padding: Pair, count_include_pad: bool) -> Any:
    """What each window's sum is divided by: its entries, those of the margin counted or not."""
    if count_include_pad or not any(padding):
        return kernel_size[0] * kernel_size[1]
    inside = np.ones((1, 1, *np.shape(x)[2:]), np.real(x).dtype)
    return np.sum(windows_of(inside, kernel_size, stride=stride, padding=padding), axis=2)


@dispatched
def avg_pool2d(
    x: Any, *, kernel_size: Pair, stride: Pair, padding: Pair = (0, 0), count_include_pad: bool = True
) -> Any:
    """The mean of every window of the image with a margin of zeros, which count or do not."""
    sums = np.sum(windows_of(x, kernel_size, stride=stride, padding=padding), axis=2)
    means = sums / divisors(x, kernel_size, stride, padding, count_include_pad)
    return means.reshape(pooled(x, kernel_size, stride, padding))


@dispatched
def max_pool2d(x: Any, *, kernel_size: Pair, stride: Pair, padding: Pair = (0, 0)) -> Any:
    """The largest entry of every window; those of the margin are -inf, so that none is chosen."""
    windows = windows_of(padded_image(x, padding, -np.inf), kernel_size, stride=stride)
    return np.max(windows, axis=2).reshape(pooled(x, kernel_size, stride, padding))


def flattened(z: Any) -> Any:
    """An image's two axes as one."""
    return np.reshape(z, shape=(*np.shape(z)[:2], -1))


def avg_pool2d_vjp(
    g: Any, x: Any, kernel_size: Pair, stride: Pair, padding: Pair = (0, 0), count_include_pad: bool = True
) -> Any:
    """Each window's cotangent shared by its entries."""
    each = flattened(g) / divisors(x, kernel_size, stride, padding, count_include_pad)
    n, c, count = np.shape(each)
    area = kernel_size[0] * kernel_size[1]
    spread = np.broadcast_to(np.expand_dims(each, axis=2), shape=(n, c, area, count))
    return unwindowed(spread, x, kernel_size, stride=stride, padding=padding)


def max_pool2d_vjp(g: Any, z: Any, x: Any, kernel_size: Pair, stride: Pair, padding: Pair = (0, 0)) -> Any:
    """Each window's cotangent at its largest entry."""
    image = padded_image(x, padding, -np.inf)
    at_largest = routed(flattened(g), flattened(z), windows_of(image, kernel_size, stride=stride), 2)
    return inside(unwindowed(at_largest, image, kernel_size, stride=stride), padding)


def inside(image: Any, padding: Pair) -> Any:
    """The image without its margins."""
    (high, wide), (top, left) = np.shape(image)[2:], padding
    return image[:, :, top : high - top, left : wide - left]


# -- rows ------------------------------------------------------------------------------------------

ROWS: tuple[Op, ...] = (
    linear("avg_pool2d", avg_pool2d, avg_pool2d_vjp,
        formula="x̄ = fold(g / n), n the entries that a window counts", source="the mean's rule on unfold(x)", law=windows.avg_pooling,
        traits={HOLOMORPHIC}),
    general("max_pool2d", max_pool2d, max_pool2d_vjp,
        formula="x̄ = fold(g where the window is largest)",
        source="the maximum's rule on unfold(x), margins of -inf; ties share equally", domains=[DISTINCT],
        law=windows.max_pooling,
        traits={PIECEWISE_LINEAR, Homogeneous(1)}),
)  # fmt: skip
