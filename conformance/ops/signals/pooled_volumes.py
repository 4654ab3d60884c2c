"""Pooling of volumes (N, C, D, H, W): means and maxima over the windows of the slices under each place along the depth."""

from __future__ import annotations

from typing import Any

import numpy as np

from conformance.op import DISTINCT, Choose, Op, Shape, Signature
from conformance.ops.convolution import unwindowed, windows_of
from conformance.ops.dispatch import dispatched
from conformance.ops.laws.windows import steps, window_counts
from conformance.ops.reductions import routed
from conformance.ops.rows import general, linear
from conformance.ops.signals.volumes import DEPTH, Triple, as_images, from_images, in_images
from conformance.ops.traits import HOLOMORPHIC, PIECEWISE_LINEAR, Homogeneous

UNDILATED: Triple = (1, 1, 1)

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


def divisors(
    x: Any, kernel_size: Triple, stride: Triple, padding: Triple, count_include_pad: bool, divisor: int | None
) -> Any:
    """What each window's sum is divided by: a number given, or its entries, those of the margin counted or not."""
    if divisor is not None:
        return divisor
    if count_include_pad or not any(padding):
        return int(np.prod(kernel_size))
    inside = np.ones((1, 1, *np.shape(x)[2:]), np.real(x).dtype)
    windows = volume_windows(inside, kernel_size, stride=stride, padding=padding, dilation=UNDILATED)
    return np.sum(windows, axis=3, keepdims=True)


@dispatched
def avg_pool3d(
    x: Any,
    *,
    kernel_size: Triple,
    stride: Triple,
    padding: Triple,
    count_include_pad: bool,
    divisor_override: int | None,
) -> Any:
    """The mean of every window of the volume with a margin of zeros, which count or do not; or its sum over a number."""
    windows = volume_windows(x, kernel_size, stride=stride, padding=padding, dilation=UNDILATED)
    sums = np.sum(windows, axis=3, keepdims=True)
    means = sums / divisors(x, kernel_size, stride, padding, count_include_pad, divisor_override)
    return as_volume(means[:, :, :, 0], window_counts(x.shape[2:], kernel_size, stride, padding, UNDILATED))


def avg_pool3d_vjp(
    g: Any,
    x: Any,
    kernel_size: Triple,
    stride: Triple,
    padding: Triple,
    count_include_pad: bool,
    divisor_override: int | None,
) -> Any:
    """Each window's cotangent shared by its entries."""
    each = by_window(g) / divisors(x, kernel_size, stride, padding, count_include_pad, divisor_override)
    n, places, channels, _, count = np.shape(each)
    spread = np.broadcast_to(each, shape=(n, places, channels, int(np.prod(kernel_size)), count))
    return from_volume_windows(spread, x, kernel_size, stride=stride, padding=padding, dilation=UNDILATED)


# -- maxima ------------------------------------------------------------------------------------------


def with_margins(x: Any, padding: Triple) -> Any:
    """The volume with margins of -inf, so that none of them is chosen."""
    return np.pad(x, pad_width=((0, 0), (0, 0), *((n, n) for n in padding)), constant_values=-np.inf)


def inside(volume: Any, padding: Triple) -> Any:
    """The volume without its margins."""
    sides = zip(padding, np.shape(volume)[2:], strict=True)
    return volume[(slice(None), slice(None), *(slice(n, side - n) for n, side in sides))]


@dispatched
def max_pool3d(x: Any, *, kernel_size: Triple, stride: Triple, padding: Triple, dilation: Triple) -> Any:
    """The largest entry of every window."""
    geometry = {"stride": stride, "padding": (0, 0, 0), "dilation": dilation}
    largest = np.max(volume_windows(with_margins(x, padding), kernel_size, **geometry), axis=3)
    return as_volume(largest, window_counts(x.shape[2:], kernel_size, stride, padding, dilation))


def max_pool3d_vjp(
    g: Any, z: Any, x: Any, kernel_size: Triple, stride: Triple, padding: Triple, dilation: Triple
) -> Any:
    """Each window's cotangent at its largest entry."""
    geometry = {"stride": stride, "padding": (0, 0, 0), "dilation": dilation}
    volume = with_margins(x, padding)
    at_largest = routed(by_window(g), by_window(z), volume_windows(volume, kernel_size, **geometry), 3)
    return inside(from_volume_windows(at_largest, volume, kernel_size, **geometry), padding)


# -- laws and rows -----------------------------------------------------------------------------------

POOLED: tuple[Shape, ...] = (
    *((1, 1, 2, 3, 3), (2, 2, 3, 3, 3), (1, 2, 3, 2, 4), (1, 1, 5, 4, 3), (2, 1, 1, 3, 5), (1, 2, 2, 2, 17)),
    *((5, 1, 2, 3, 2), (1, 5, 3, 2, 3)),
)  # fmt: skip
STRIDES: tuple[Triple, ...] = ((2, 2, 2), (1, 1, 1), (1, 2, 3), (3, 1, 1))
KERNELS: tuple[Triple, ...] = ((2, 2, 2), (1, 1, 1), (1, 3, 2), (2, 1, 3), (3, 3, 3))
MARGINS: tuple[Triple, ...] = ((0, 0, 0), (1, 1, 1), (0, 1, 1), (1, 0, 0))


def all_have_entries(sides: Shape, kernel_size: Triple, **placing: Triple) -> bool:
    """Whether there are windows, and each has an entry that is none of the margin's, along every axis."""
    along = zip(sides, kernel_size, placing["stride"], placing["padding"], placing["dilation"], strict=True)
    for side, size, stride, padding, dilation in along:
        starts = range(0, steps(side, size, stride, padding, dilation) * stride, stride)
        entries = range(0, size * dilation, dilation)
        inside = range(padding, padding + side)
        if not starts or not all(any(start + i in inside for i in entries) for start in starts):
            return False
    return True


def placed(choose: Choose, dilations: tuple[Triple, ...]) -> tuple[Shape, dict[str, Triple]]:
    """Volumes, the size of the windows and how they are placed.

    A margin is at most half a window: engines refuse more. Each window has an entry of the volume, since none has no maximum.
    """
    size, stride, dilation = choose(KERNELS), choose(STRIDES), choose(dilations)
    padding = choose([p for p in MARGINS if all(2 * n <= k for n, k in zip(p, size, strict=True))])
    placing = {"kernel_size": size, "stride": stride, "padding": padding, "dilation": dilation}
    volumes = [shape for shape in POOLED if all_have_entries(shape[2:], **placing)]
    if not volumes:
        placing, volumes = {**placing, "dilation": UNDILATED}, [(1, 1, 5, 4, 3)]
    return choose(volumes), placing


def max_pooling(choose: Choose) -> Signature:
    """Volumes and their windows, whose entries may be apart."""
    shape, placing = placed(choose, (UNDILATED, (2, 1, 2), (1, 2, 1)))
    return Signature((shape,), placing)


def avg_pooling(choose: Choose) -> Signature:
    """Volumes and their windows, whether margins count, and what to divide by instead."""
    shape, placing = placed(choose, (UNDILATED,))
    del placing["dilation"]
    divisor = choose((None, 3))
    return Signature(
        (shape,), {**placing, "count_include_pad": choose((True, False)), "divisor_override": divisor}
    )


ROWS: tuple[Op, ...] = (
    linear("avg_pool3d", avg_pool3d, avg_pool3d_vjp,
        formula="x̄ = fold(g / n), n the entries that a window counts", source="the mean's rule on every window",
        law=avg_pooling, traits={HOLOMORPHIC}),
    general("max_pool3d", max_pool3d, max_pool3d_vjp,
        formula="x̄ = fold(g where the window is largest)",
        source="the maximum's rule on every window, margins of -inf; ties share equally",
        domains=[DISTINCT], law=max_pooling, traits={PIECEWISE_LINEAR, Homogeneous(1)}),
)  # fmt: skip
