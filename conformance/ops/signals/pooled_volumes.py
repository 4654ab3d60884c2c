"""Pooling of volumes (N, C, D, H, W): means and maxima over the windows of the slices under each place along the depth."""

from __future__ import annotations

from typing import Any

import numpy as np

from conformance.op import DISTINCT, Choose, Op, Shape, Signature
from conformance.ops.convolution import unwindowed, windows_of
from conformance.ops.dispatch import dispatched
from conformance.ops.laws.windows import all_have_entries, overhangs, window_counts
from conformance.ops.reductions import routed
from conformance.ops.rows import general, linear
from conformance.ops.signals.volumes import DEPTH, Triple, as_images, from_images, in_images
from conformance.ops.traits import HOLOMORPHIC, PIECEWISE_LINEAR, Homogeneous

UNDILATED: Triple = (1, 1, 1)
UNPADDED: Triple = (0, 0, 0)

# -- windows -----------------------------------------------------------------------------------------


def volume_windows(x: Any, kernel_size: Triple, **geometry: Triple) -> Any:
    """The windows of each channel at each place along the depth: (N, places, C, kd·kh·kw, windows)."""
    n, channels = np.shape(x)[:2]
    images = as_images(x, kernel_size[0], **geometry)
    windows = windows_of(images, kernel_size[1:], **in_images(geometry))
    area, count = np.prod(kernel_size), np.shape(windows)[-1]
    return np.reshape(windows, shape=(n, np.shape(images)[0] // n, channels, int(area), count))


def from_volume_windows(cotangents: Any, x: Any, kernel_size: Triple, **geometry: Triple) -> Any:
    """The transpose of `volume_windows`: the cotangents of the windows added up in the volume."""
    n, places, channels, _, _ = np.shape(cotangents)
    sides = np.shape(x)[3:]
    images = np.empty((n * places, channels * kernel_size[0], *sides))
    folded = unwindowed(cotangents, images, kernel_size[1:], **in_images(geometry))
    return from_images(folded, x, kernel_size[0], **geometry)


def as_volume(each: Any, sides: Shape) -> Any:
    """A number for each window as a volume: (N, C, places, H, W) of (N, places, C, windows)."""
    n, places, channels, _ = np.shape(each)
    slices = np.reshape(each, shape=(n, places, channels, *sides[1:]))
    return np.moveaxis(slices, source=1, destination=DEPTH)


def by_window(g: Any) -> Any:
    """The inverse of `as_volume`: (N, places, C, 1, windows)."""
    slices = np.moveaxis(g, source=DEPTH, destination=1)
    return np.reshape(slices, shape=(*np.shape(slices)[:3], 1, -1))


# -- means -------------------------------------------------------------------------------------------


def with_margins(x: Any, padding: Shape, more: Shape, value: float) -> Any:
    """The volume with margins of a value, and more of it behind them."""
    widths = ((n, n + rest) for n, rest in zip(padding, more, strict=True))
    return np.pad(x, pad_width=((0, 0), (0, 0), *widths), constant_values=value)


def inside(volume: Any, padding: Triple, x: Any) -> Any:
    """The part of the volume that is `x`, without its margins."""
    sides = zip(padding, np.shape(x)[2:], strict=True)
    return volume[(slice(None), slice(None), *(slice(n, n + side) for n, side in sides))]


def divisors(
    x: Any,
    kernel_size: Triple,
    stride: Triple,
    padding: Triple,
    ceil_mode: bool,
    count_include_pad: bool,
    divisor: int | None,
) -> Any:
    """What each window's sum is divided by: a number given, or its entries, those of the margin counted or not.

    What is behind the margin is never counted.
    """
    if divisor is not None:
        return divisor
    more = overhangs(np.shape(x)[2:], kernel_size, stride, padding, UNDILATED, ceil_mode=ceil_mode)
    if not any(more) and (count_include_pad or not any(padding)):
        return int(np.prod(kernel_size))
    ones = np.ones((1, 1, *np.shape(x)[2:]), np.real(x).dtype)
    counted = with_margins(ones, padding, UNPADDED, 1.0 if count_include_pad else 0.0)
    counted = with_margins(counted, UNPADDED, more, 0.0)
    return np.sum(volume_windows(counted, kernel_size, **in_place(stride)), axis=3, keepdims=True)


def in_place(stride: Triple, dilation: Triple = UNDILATED) -> dict[str, Triple]:
    """The geometry of windows of a volume whose margins are part of it."""
    return {"stride": stride, "padding": UNPADDED, "dilation": dilation}


@dispatched
def avg_pool3d(
    x: Any,
    *,
    kernel_size: Triple,
    stride: Triple,
    padding: Triple,
    ceil_mode: bool,
    count_include_pad: bool,
    divisor_override: int | None,
) -> Any:
    """The mean of every window of the volume with a margin of zeros, which count or do not; or its sum over a number."""
    more = overhangs(x.shape[2:], kernel_size, stride, padding, UNDILATED, ceil_mode=ceil_mode)
    volume = with_margins(x, padding, more, 0.0)
    sums = np.sum(volume_windows(volume, kernel_size, **in_place(stride)), axis=3, keepdims=True)
    means = sums / divisors(x, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override)
    return as_volume(
        means[:, :, :, 0], window_counts(volume.shape[2:], kernel_size, stride, UNPADDED, UNDILATED)
    )


def avg_pool3d_vjp(
    g: Any,
    x: Any,
    kernel_size: Triple,
    stride: Triple,
    padding: Triple,
    ceil_mode: bool,
    count_include_pad: bool,
    divisor_override: int | None,
) -> Any:
    """Each window's cotangent shared by its entries."""
    count = divisors(x, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override)
    each = by_window(g) / count
    n, places, channels, _, windows = np.shape(each)
    spread = np.broadcast_to(each, shape=(n, places, channels, int(np.prod(kernel_size)), windows))
    more = overhangs(np.shape(x)[2:], kernel_size, stride, padding, UNDILATED, ceil_mode=ceil_mode)
    volume = with_margins(x, padding, more, 0.0)
    return inside(from_volume_windows(spread, volume, kernel_size, **in_place(stride)), padding, x)


# -- maxima ------------------------------------------------------------------------------------------


@dispatched
def max_pool3d(
    x: Any, *, kernel_size: Triple, stride: Triple, padding: Triple, dilation: Triple, ceil_mode: bool
) -> Any:
    """The largest entry of every window; those of the margin are -inf, so that none is chosen."""
    more = overhangs(x.shape[2:], kernel_size, stride, padding, dilation, ceil_mode=ceil_mode)
    volume = with_margins(x, padding, more, -np.inf)
    largest = np.max(volume_windows(volume, kernel_size, **in_place(stride, dilation)), axis=3)
    return as_volume(largest, window_counts(volume.shape[2:], kernel_size, stride, UNPADDED, dilation))


def max_pool3d_vjp(
    g: Any,
    z: Any,
    x: Any,
    kernel_size: Triple,
    stride: Triple,
    padding: Triple,
    dilation: Triple,
    ceil_mode: bool,
) -> Any:
    """Each window's cotangent at its largest entry."""
    geometry = in_place(stride, dilation)
    more = overhangs(np.shape(x)[2:], kernel_size, stride, padding, dilation, ceil_mode=ceil_mode)
    volume = with_margins(x, padding, more, -np.inf)
    at_largest = routed(by_window(g), by_window(z), volume_windows(volume, kernel_size, **geometry), 3)
    return inside(from_volume_windows(at_largest, volume, kernel_size, **geometry), padding, x)


# -- laws and rows -----------------------------------------------------------------------------------

POOLED: tuple[Shape, ...] = (
    *((1, 1, 2, 3, 3), (2, 2, 3, 3, 3), (1, 2, 3, 2, 4), (1, 1, 5, 4, 3), (2, 1, 1, 3, 5), (1, 2, 2, 2, 17)),
    *((5, 1, 2, 3, 2), (1, 5, 3, 2, 3), (2, 2, 2, 3, 1), (1, 1, 1, 1, 1)),
)  # fmt: skip
STRIDES: tuple[Triple, ...] = ((2, 2, 2), (1, 1, 1), (1, 2, 3), (3, 1, 1))
KERNELS: tuple[Triple, ...] = ((2, 2, 2), (1, 1, 1), (1, 3, 2), (2, 1, 3), (3, 3, 3))
MARGINS: tuple[Triple, ...] = ((0, 0, 0), (1, 1, 1), (0, 1, 1), (1, 0, 0))


def placed(choose: Choose, dilations: tuple[Triple, ...]) -> tuple[Shape, dict[str, Any]]:
    """Volumes, the size of the windows and how they are placed.

    A margin is at most half a window: engines refuse more. Each window has an entry of the volume, since none has no maximum.
    """
    size, stride, dilation = choose(KERNELS), choose(STRIDES), choose(dilations)
    padding = choose([p for p in MARGINS if all(2 * n <= k for n, k in zip(p, size, strict=True))])
    ceil_mode = choose((False, True))
    given = (size, stride, padding, dilation)
    volumes = [shape for shape in POOLED if all_have_entries(shape[2:], *given, ceil_mode=ceil_mode)]
    if not volumes:
        dilation, volumes = UNDILATED, [(1, 1, 5, 4, 3)]
    placing = {"kernel_size": size, "stride": stride, "padding": padding, "dilation": dilation}
    return choose(volumes), {**placing, "ceil_mode": ceil_mode}


def max_pooling(choose: Choose) -> Signature:
    """Volumes and their windows, whose entries may be apart, and which may reach beyond the margin."""
    shape, placing = placed(choose, (UNDILATED, (2, 1, 2), (1, 2, 1)))
    return Signature((shape,), placing)


def avg_pooling(choose: Choose) -> Signature:
    """Volumes and their windows, whether margins count, and what to divide by instead."""
    shape, placing = placed(choose, (UNDILATED,))
    del placing["dilation"]
    counting = {"count_include_pad": choose((True, False)), "divisor_override": choose((None, 3))}
    return Signature((shape,), {**placing, **counting})


ROWS: tuple[Op, ...] = (
    linear("avg_pool3d", avg_pool3d, avg_pool3d_vjp,
        formula="x̄ = fold(g / n), n the entries that a window counts", source="the mean's rule on every window",
        law=avg_pooling, traits={HOLOMORPHIC}),
    general("max_pool3d", max_pool3d, max_pool3d_vjp,
        formula="x̄ = fold(g where the window is largest)",
        source="the maximum's rule on every window, margins of -inf; ties share equally",
        domains=[DISTINCT], law=max_pooling, traits={PIECEWISE_LINEAR, Homogeneous(1)}),
)  # fmt: skip
