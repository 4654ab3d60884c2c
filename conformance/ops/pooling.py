"""Pooling of images (N, C, H, W): means and maxima over the windows that `unfold` makes columns of."""

from __future__ import annotations

from typing import Any

import numpy as np

from conformance.op import DISTINCT, POSITIVE, Op, Shape
from conformance.ops.convolution import unwindowed, windows_of
from conformance.ops.dispatch import dispatched
from conformance.ops.laws import windows
from conformance.ops.laws.windows import Pair, overhangs, window_counts
from conformance.ops.reductions import routed, vector_norm_vjp
from conformance.ops.rows import general, linear
from conformance.ops.traits import HOLOMORPHIC, PIECEWISE_LINEAR, REAL_REFERENCE, Homogeneous

# -- pooling ---------------------------------------------------------------------------------------


def padded_image(x: Any, padding: Pair, value: float) -> Any:
    """The image with margins of a value; zeros are left to `unfold`."""
    return np.pad(x, pad_width=((0, 0), (0, 0), (padding[0],) * 2, (padding[1],) * 2), constant_values=value)


def extended(x: Any, sides: Shape, value: float) -> Any:
    """The image with so much more of a value behind each of its sides."""
    if not any(sides):
        return x
    return np.pad(x, pad_width=((0, 0), (0, 0), *((0, n) for n in sides)), constant_values=value)


def shortened(image: Any, sides: Shape) -> Any:
    """The inverse of `extended`."""
    return image[:, :, : np.shape(image)[2] - sides[0], : np.shape(image)[3] - sides[1]]


def pooled(
    x: Any, kernel_size: Pair, stride: Pair, padding: Pair, dilation: Pair = (1, 1)
) -> tuple[int, ...]:
    """The shape that pooling gives."""
    return (*x.shape[:2], *window_counts(x.shape[2:], kernel_size, stride, padding, dilation))


def divisors(
    x: Any,
    kernel_size: Pair,
    stride: Pair,
    padding: Pair,
    ceil_mode: bool,
    count_include_pad: bool,
    divisor: int | None,
) -> Any:
    """What each window's sum is divided by: a number given, or its entries, those of the margin counted or not.

    What is behind the margin is never counted.
    """
    if divisor is not None:
        return divisor
    more = overhangs(np.shape(x)[2:], kernel_size, stride, padding, (1, 1), ceil_mode=ceil_mode)
    if not any(more) and (count_include_pad or not any(padding)):
        return kernel_size[0] * kernel_size[1]
    counted = np.ones((1, 1, *np.shape(x)[2:]), np.real(x).dtype)
    counted = extended(padded_image(counted, padding, 1.0 if count_include_pad else 0.0), more, 0.0)
    return np.sum(windows_of(counted, kernel_size, stride=stride), axis=2)


@dispatched
def avg_pool2d(
    x: Any,
    *,
    kernel_size: Pair,
    stride: Pair,
    padding: Pair,
    ceil_mode: bool,
    count_include_pad: bool,
    divisor_override: int | None,
) -> Any:
    """The mean of every window of the image with a margin of zeros, which count or do not; or its sum over a number."""
    count = divisors(x, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override)
    image = extended(
        x, overhangs(x.shape[2:], kernel_size, stride, padding, (1, 1), ceil_mode=ceil_mode), 0.0
    )
    sums = np.sum(windows_of(image, kernel_size, stride=stride, padding=padding), axis=2)
    return (sums / count).reshape(pooled(image, kernel_size, stride, padding))


@dispatched
def max_pool2d(
    x: Any, *, kernel_size: Pair, stride: Pair, padding: Pair, dilation: Pair, ceil_mode: bool
) -> Any:
    """The largest entry of every window; those of the margin are -inf, so that none is chosen."""
    more = overhangs(x.shape[2:], kernel_size, stride, padding, dilation, ceil_mode=ceil_mode)
    image = padded_image(extended(x, more, -np.inf), padding, -np.inf)
    windows = windows_of(image, kernel_size, stride=stride, dilation=dilation)
    return np.max(windows, axis=2).reshape(pooled(image, kernel_size, stride, (0, 0), dilation))


def flattened(z: Any) -> Any:
    """An image's two axes as one."""
    return np.reshape(z, shape=(*np.shape(z)[:2], -1))


def avg_pool2d_vjp(
    g: Any,
    x: Any,
    kernel_size: Pair,
    stride: Pair,
    padding: Pair,
    ceil_mode: bool,
    count_include_pad: bool,
    divisor_override: int | None,
) -> Any:
    """Each window's cotangent shared by its entries."""
    count = divisors(x, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override)
    each = flattened(g) / count
    more = overhangs(np.shape(x)[2:], kernel_size, stride, padding, (1, 1), ceil_mode=ceil_mode)
    n, c, count = np.shape(each)
    area = kernel_size[0] * kernel_size[1]
    spread = np.broadcast_to(np.expand_dims(each, axis=2), shape=(n, c, area, count))
    image = unwindowed(spread, extended(x, more, 0.0), kernel_size, stride=stride, padding=padding)
    return shortened(image, more) if any(more) else image


def max_pool2d_vjp(
    g: Any,
    z: Any,
    x: Any,
    kernel_size: Pair,
    stride: Pair,
    padding: Pair,
    dilation: Pair,
    ceil_mode: bool,
) -> Any:
    """Each window's cotangent at its largest entry."""
    more = overhangs(np.shape(x)[2:], kernel_size, stride, padding, dilation, ceil_mode=ceil_mode)
    image = padded_image(extended(x, more, -np.inf), padding, -np.inf)
    placing = {"stride": stride, "dilation": dilation}
    at_largest = routed(flattened(g), flattened(z), windows_of(image, kernel_size, **placing), 2)
    return shortened(inside(unwindowed(at_largest, image, kernel_size, **placing), padding), more)


def inside(image: Any, padding: Pair) -> Any:
    """The image without its margins."""
    (high, wide), (top, left) = np.shape(image)[2:], padding
    return image[:, :, top : high - top, left : wide - left]


# -- of signals --------------------------------------------------------------------------------------


def as_image(x: Any) -> Any:
    """A signal as an image of one row."""
    return np.expand_dims(x, axis=2)


def as_signal(image: Any) -> Any:
    """The row of an image that has one."""
    return np.squeeze(image, axis=2)


def in_a_row(**geometry: int) -> dict[str, Any]:
    """The geometry of a signal as that of an image of one row."""
    return {name: (0 if name == "padding" else 1, n) for name, n in geometry.items()}


@dispatched
def avg_pool1d(
    x: Any, *, kernel_size: int, stride: int, padding: int, ceil_mode: bool, count_include_pad: bool
) -> Any:
    """The mean of every window of the signal with a margin of zeros, which count or do not."""
    row = in_a_row(kernel_size=kernel_size, stride=stride, padding=padding)
    means = avg_pool2d(
        as_image(x), **row, ceil_mode=ceil_mode, count_include_pad=count_include_pad, divisor_override=None
    )
    return as_signal(means)


def avg_pool1d_vjp(g: Any, x: Any, ceil_mode: bool, count_include_pad: bool, **geometry: int) -> Any:
    """avg_pool2d's rule on the signal's image."""
    counting: dict[str, Any] = {
        "ceil_mode": ceil_mode,
        "count_include_pad": count_include_pad,
        "divisor_override": None,
    }
    return as_signal(avg_pool2d_vjp(as_image(g), as_image(x), **in_a_row(**geometry), **counting))


@dispatched
def max_pool1d(x: Any, *, kernel_size: int, stride: int, padding: int, dilation: int, ceil_mode: bool) -> Any:
    """The largest entry of every window."""
    row = in_a_row(kernel_size=kernel_size, stride=stride, padding=padding, dilation=dilation)
    return as_signal(max_pool2d(as_image(x), **row, ceil_mode=ceil_mode))


def max_pool1d_vjp(g: Any, z: Any, x: Any, ceil_mode: bool, **geometry: int) -> Any:
    """max_pool2d's rule on the signal's image."""
    row = in_a_row(**geometry)
    return as_signal(max_pool2d_vjp(as_image(g), as_image(z), as_image(x), **row, ceil_mode=ceil_mode))


# -- norms -------------------------------------------------------------------------------------------


@dispatched
def lp_pool2d(x: Any, *, norm_type: float, kernel_size: Pair, stride: Pair) -> Any:
    """The norm of every window."""
    norms = np.linalg.vector_norm(windows_of(x, kernel_size, stride=stride), axis=2, ord=norm_type)
    return norms.reshape(pooled(x, kernel_size, stride, (0, 0)))


def lp_pool2d_vjp(g: Any, z: Any, x: Any, norm_type: float, kernel_size: Pair, stride: Pair) -> Any:
    """vector_norm's rule in every window."""
    windows = windows_of(x, kernel_size, stride=stride)
    each = vector_norm_vjp(flattened(g), None, windows, axis=2, ord=norm_type)
    return unwindowed(each, x, kernel_size, stride=stride)


@dispatched
def lp_pool1d(x: Any, *, norm_type: float, kernel_size: int, stride: int) -> Any:
    """The norm of every window of the signal."""
    row = in_a_row(kernel_size=kernel_size, stride=stride)
    return as_signal(lp_pool2d(as_image(x), norm_type=norm_type, **row))


def lp_pool1d_vjp(g: Any, z: Any, x: Any, norm_type: float, **geometry: int) -> Any:
    """lp_pool2d's rule on the signal's image."""
    return as_signal(lp_pool2d_vjp(as_image(g), z, as_image(x), norm_type, **in_a_row(**geometry)))


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
    linear("avg_pool1d", avg_pool1d, avg_pool1d_vjp,
        formula="x̄ = fold(g / n), n the entries that a window counts", source="avg_pool2d's rule on an image of one row",
        law=windows.avg_pooling_signals, traits={HOLOMORPHIC}),
    general("max_pool1d", max_pool1d, max_pool1d_vjp,
        formula="x̄ = fold(g where the window is largest)", source="max_pool2d's rule on an image of one row",
        domains=[DISTINCT], law=windows.max_pooling_signals, traits={PIECEWISE_LINEAR, Homogeneous(1)}),
    general("lp_pool2d", lp_pool2d, lp_pool2d_vjp,
        formula="x̄ = fold(g (x/z)ᵖ⁻¹)", source="vector_norm's rule on unfold(x)",
        domains=[POSITIVE], law=windows.norm_pooling, traits={REAL_REFERENCE, Homogeneous(1)}),
    general("lp_pool1d", lp_pool1d, lp_pool1d_vjp,
        formula="x̄ = fold(g (x/z)ᵖ⁻¹)", source="lp_pool2d's rule on an image of one row",
        domains=[POSITIVE], law=windows.norm_pooling_signals, traits={REAL_REFERENCE, Homogeneous(1)}),
)  # fmt: skip
