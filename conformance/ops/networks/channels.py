"""Layers of images (N, C, H, W) that mix channels, move them into space, or come down to a given size by means or maxima."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from conformance.op import DISTINCT, Choose, Op, Shape, Signature
from conformance.ops import laws
from conformance.ops.dispatch import dispatched
from conformance.ops.indexing import along, getitem, scatter_add
from conformance.ops.rows import general, linear
from conformance.ops.traits import HOLOMORPHIC, PIECEWISE_LINEAR, Homogeneous, exactly_undone_by

CHANNELS = 1  # the axis

# -- normalisation by neighbouring channels ----------------------------------------------------------


def summed_beside(x: Any, before: int, after: int) -> Any:
    """The sum of each channel, of so many before it and of so many behind it."""
    margins = tuple((before, after) if axis == CHANNELS else (0, 0) for axis in range(np.ndim(x)))
    padded, count = np.pad(x, pad_width=margins), np.shape(x)[CHANNELS]
    places = np.arange(count)[:, None] + np.arange(before + after + 1)
    return np.sum(np.take(padded, places, axis=CHANNELS), axis=CHANNELS + 1)


def sums_of_squares(x: Any, size: int, alpha: float, k: float) -> Any:
    """k + α/size times the sum of the squares of so many channels around each."""
    return k + alpha / size * summed_beside(x * x, size // 2, (size - 1) // 2)


@dispatched
def local_response_norm(x: Any, *, size: int, alpha: float, beta: float, k: float) -> Any:
    """Each channel over a power of the sum of the squares around it; beyond the first and the last are zeros."""
    return x / sums_of_squares(x, size, alpha, k) ** beta


def local_response_norm_vjp(g: Any, z: Any, x: Any, size: int, alpha: float, beta: float, k: float) -> Any:
    """g s^−β − 2αβ/size x Σ g z/s over the channels that see this one."""
    sums = sums_of_squares(x, size, alpha, k)
    seen = summed_beside(g * x / sums ** (beta + 1), (size - 1) // 2, size // 2)
    return g / sums**beta - 2 * alpha * beta / size * x * seen


# -- channels as pixels ------------------------------------------------------------------------------


@dispatched
def pixel_shuffle(x: Any, *, upscale_factor: int) -> Any:
    """Each r² channels as squares of r·r pixels."""
    (*batch, channels, height, width), r = np.shape(x), upscale_factor
    parts = np.reshape(x, (*batch, channels // r**2, r, r, height, width))
    interleaved = np.moveaxis(parts, (-4, -3), (-3, -1))
    return np.reshape(interleaved, (*batch, channels // r**2, height * r, width * r))


@dispatched
def pixel_unshuffle(x: Any, *, downscale_factor: int) -> Any:
    """Each square of r·r pixels as r² channels."""
    (*batch, channels, height, width), r = np.shape(x), downscale_factor
    parts = np.reshape(x, (*batch, channels, height // r, r, width // r, r))
    gathered = np.moveaxis(parts, (-3, -1), (-4, -3))
    return np.reshape(gathered, (*batch, channels * r**2, height // r, width // r))


def by_the_same_factor(name: str) -> Any:
    """The call that undoes one: its factor under the other's name."""

    def parameters(shapes: Any, **factor: int) -> Mapping[str, int]:
        return {name: next(iter(factor.values()))}

    return parameters


# -- means of windows that cover the image -----------------------------------------------------------


def covering(before: int, after: int) -> tuple[Any, Any, Any]:
    """So many windows that cover an axis: each window's entries, the window that each belongs to, and how many it has."""
    starts = [i * before // after for i in range(after)]
    ends = [-(-(i + 1) * before // after) for i in range(after)]
    entries = [j for start, end in zip(starts, ends, strict=True) for j in range(start, end)]
    counts = np.subtract(ends, starts)
    return np.array(entries, int), np.repeat(np.arange(after), counts), counts


def added(x: Any, axis: int, places: Any, count: int) -> Any:
    """The entries along an axis added up at so many places."""
    shape = (*np.shape(x)[:axis], count, *np.shape(x)[axis + 1 :])
    return scatter_add(x, index=along(axis, len(shape), places), shape=shape)


def as_divisors(counts: Any, x: Any, axis: int) -> Any:
    """Counts along an axis of `x`, in its precision."""
    return np.reshape(counts, shape=(-1,) + (1,) * (np.ndim(x) - axis - 1)).astype(np.real(x).dtype)


@dispatched
def adaptive_avg_pool2d(x: Any, *, output_size: tuple[int, int]) -> Any:
    """The means of windows that cover the image and overlap by at most an entry, so many along each axis."""
    for axis, after in enumerate(output_size, np.ndim(x) - 2):
        entries, windows, counts = covering(np.shape(x)[axis], after)
        sums = added(np.take(x, entries, axis=axis), axis, windows, after)
        x = sums / as_divisors(counts, x, axis)
    return x


def adaptive_avg_pool2d_transposed(g: Any, x: Any, output_size: tuple[int, int]) -> Any:
    """Each window's cotangent shared by its entries."""
    for axis, after in enumerate(output_size, np.ndim(x) - 2):
        entries, windows, counts = covering(np.shape(x)[axis], after)
        shares = getitem(g / as_divisors(counts, g, axis), index=along(axis, np.ndim(g), windows))
        g = added(shares, axis, entries, np.shape(x)[axis])
    return g


# -- maxima of such windows --------------------------------------------------------------------------


@dispatched
def adaptive_max_pool2d(x: Any, *, output_size: tuple[int, int]) -> Any:
    """The largest entries of windows that cover the image and overlap by at most an entry, so many along each axis."""
    for axis, after in enumerate(output_size, np.ndim(x) - 2):
        entries, _, counts = covering(np.shape(x)[axis], after)
        windows = np.split(entries, np.cumsum(counts)[:-1])
        x = np.stack([np.max(np.take(x, window, axis=axis), axis=axis) for window in windows], axis=axis)
    return x


def taken(x: Any, places: Sequence[Any]) -> Any:
    """The entries at these places along the last axes."""
    for axis, here in enumerate(places, np.ndim(x) - len(places)):
        x = getitem(x, index=along(axis, np.ndim(x), here))
    return x


def adaptive_max_pool2d_vjp(g: Any, z: Any, x: Any, output_size: tuple[int, int]) -> Any:
    """Each window's cotangent at its largest entry."""
    sides = np.shape(x)[-2:]
    entries, windows, _ = zip(*map(covering, sides, output_size), strict=True)
    is_largest = (taken(x, entries) == taken(z, windows)).astype(np.real(x).dtype)
    shares = is_largest / taken(np.maximum(gathered(is_largest, windows, output_size), 1), windows)
    return gathered(taken(g, windows) * shares, entries, sides)


def gathered(x: Any, places: Sequence[Any], sides: Sequence[int]) -> Any:
    """The transpose of `taken`: the entries of the last axes added up at these places."""
    for axis, (here, side) in enumerate(zip(places, sides, strict=True), np.ndim(x) - len(places)):
        x = added(x, axis, here, side)
    return x


# -- laws and rows -----------------------------------------------------------------------------------

IMAGES: tuple[Shape, ...] = (
    *((2, 3, 2), (1, 4, 2, 2), (3, 3, 3), (2, 1, 3), (1, 5, 2, 1), (2, 3, 1, 2, 2), (0, 3, 2), (7, 2, 3)),
    *((1, 17, 2), (2, 33, 1), (1, 2, 129)),
)  # fmt: skip
NORMED = laws.shapes_of(
    *((shape,) for shape in IMAGES),
    size=(2, 1, 3, 5), alpha=(1e-4, 1.0, 0.3), beta=(0.7, 0.5, 1.0), k=(1.0, 2.1),
)  # fmt: skip
# Channels, height and width that are multiples of squares or factors; batches of no axis, one, and two.
BATCHES: tuple[Shape, ...] = ((1,), (2,), (), (2, 3), (0,), (7,))
SIDES: tuple[tuple[int, int, int], ...] = ((1, 2, 3), (2, 2, 2), (1, 1, 1), (3, 1, 2), (1, 3, 17))
# Images, and sizes that are parts of theirs, or not; windows overlap or repeat where it is no part, or more.
POOLED: tuple[Shape, ...] = (
    *((1, 1, 4, 4), (2, 2, 3, 4), (3, 3, 3), (1, 2, 5, 7), (2, 1, 1, 3), (1, 1, 2, 17), (7, 1, 3, 2), (0, 2, 2, 3)),
    *((1, 18, 2, 3), (1, 2, 3, 1), (1, 1, 1, 1)),
)  # fmt: skip
MEANS = laws.shapes_of(*((shape,) for shape in POOLED), output_size=((2, 2), (1, 1), (3, 2), (1, 4), (5, 5)))


def shuffling(choose: Choose) -> Signature:
    """Images with r² channels for each that they will have."""
    batch, (channels, height, width), r = choose(BATCHES), choose(SIDES), choose((2, 1, 3))
    return Signature(((*batch, channels * r**2, height, width),), {"upscale_factor": r})


def unshuffling(choose: Choose) -> Signature:
    """Images whose sides are multiples of r."""
    batch, (channels, height, width), r = choose(BATCHES), choose(SIDES), choose((2, 1, 3))
    return Signature(((*batch, channels, height * r, width * r),), {"downscale_factor": r})


ROWS: tuple[Op, ...] = (
    general("local_response_norm", local_response_norm, local_response_norm_vjp,
        formula="x̄ = g s^−β − 2αβ/n x Σ g x s^−(β+1) over the channels that see x, s = k + α/n Σ x²",
        source="Krizhevsky and others 2012, section 3.3, with α over the number n of channels; product rule", law=NORMED),
    linear("pixel_shuffle", pixel_shuffle,
        lambda g, x, upscale_factor: pixel_unshuffle(g, downscale_factor=upscale_factor),
        formula="x̄ = pixel_unshuffle(g)", source="linear; a permutation's transpose is its inverse", law=shuffling,
        traits={HOLOMORPHIC, exactly_undone_by("pixel_unshuffle", by_the_same_factor("downscale_factor"))}),
    linear("pixel_unshuffle", pixel_unshuffle,
        lambda g, x, downscale_factor: pixel_shuffle(g, upscale_factor=downscale_factor),
        formula="x̄ = pixel_shuffle(g)", source="linear; a permutation's transpose is its inverse", law=unshuffling,
        traits={HOLOMORPHIC, exactly_undone_by("pixel_shuffle", by_the_same_factor("upscale_factor"))}),
    linear("adaptive_avg_pool2d", adaptive_avg_pool2d, adaptive_avg_pool2d_transposed,
        formula="x̄ᵢ = Σ g / n over the windows that have i, n their entries", source="the mean's rule on each window",
        law=MEANS, traits={HOLOMORPHIC}),
    general("adaptive_max_pool2d", adaptive_max_pool2d, adaptive_max_pool2d_vjp,
        formula="x̄ᵢ = Σ g over the windows whose largest entry is xᵢ", source="the maximum's rule on each window; ties share equally",
        domains=[DISTINCT], law=MEANS, traits={PIECEWISE_LINEAR, Homogeneous(1)}),
)  # fmt: skip
