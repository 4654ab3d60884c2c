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


def pooled(x: Any, kernel_size: Pair, stride: Pair) -> tuple[int, ...]:
    """The shape that pooling gives."""
    return (*x.shape[:2], *window_counts(x.shape[2:], kernel_size, stride, (0, 0), (1, 1)))


@dispatched
def avg_pool2d(x: Any, *, kernel_size: Pair, stride: Pair) -> Any:
    """The mean of every window."""
    return np.mean(windows_of(x, kernel_size, stride), axis=2).reshape(pooled(x, kernel_size, stride))


@dispatched
def max_pool2d(x: Any, *, kernel_size: Pair, stride: Pair) -> Any:
    """The largest entry of every window."""
    return np.max(windows_of(x, kernel_size, stride), axis=2).reshape(pooled(x, kernel_size, stride))


def flattened(z: Any) -> Any:
    """An image's two axes as one."""
    return np.reshape(z, shape=(*np.shape(z)[:2], -1))


def avg_pool2d_vjp(g: Any, x: Any, kernel_size: Pair, stride: Pair) -> Any:
    """Each window's cotangent shared by its entries."""
    area = kernel_size[0] * kernel_size[1]
    each = np.expand_dims(flattened(g) / area, axis=2)
    n, c, _, count = np.shape(each)
    return unwindowed(np.broadcast_to(each, shape=(n, c, area, count)), x, kernel_size, stride)


def max_pool2d_vjp(g: Any, z: Any, x: Any, kernel_size: Pair, stride: Pair) -> Any:
    """Each window's cotangent at its largest entry."""
    at_largest = routed(flattened(g), flattened(z), windows_of(x, kernel_size, stride), 2)
    return unwindowed(at_largest, x, kernel_size, stride)


# -- rows ------------------------------------------------------------------------------------------

ROWS: tuple[Op, ...] = (
    linear("avg_pool2d", avg_pool2d, avg_pool2d_vjp,
        formula="x̄ = fold(g / area)", source="the mean's rule on unfold(x)", law=windows.pooling,
        traits={HOLOMORPHIC}),
    general("max_pool2d", max_pool2d, max_pool2d_vjp,
        formula="x̄ = fold(g where the window is largest)",
        source="the maximum's rule on unfold(x); ties share equally", domains=[DISTINCT], law=windows.pooling,
        traits={PIECEWISE_LINEAR, Homogeneous(1)}),
)  # fmt: skip
