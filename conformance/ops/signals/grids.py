"""Places of an image: where a matrix sends each, and where the largest entries of windows are put back; channels in another order."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from conformance.op import Choose, Op, Shape, Signature
from conformance.ops.dispatch import dispatched
from conformance.ops.indexing import getitem, scatter_add
from conformance.ops.rows import linear
from conformance.ops.traits import HOLOMORPHIC, exactly_undone_by

# -- turned and moved --------------------------------------------------------------------------------


def coordinates(count: int, align_corners: bool) -> Any:
    """From −1 to 1 the middles of so many pixels at the margin, or the ends of which are there."""
    if count == 1:
        return np.zeros(1)
    ends = np.linspace(-1, 1, count)
    return ends if align_corners else ends * (count - 1) / count


def places_of(size: Shape, align_corners: bool, dtype: Any) -> Any:
    """Every place of an image or a volume as a row: its coordinates, the last axis first, and a 1."""
    axes = np.meshgrid(*(coordinates(n, align_corners) for n in size[2:]), indexing="ij")
    return np.stack([*map(np.ravel, axes[::-1]), np.ones(axes[0].size)], axis=-1).astype(dtype)


@dispatched
def affine_grid(theta: Any, *, size: list[int], align_corners: bool) -> Any:
    """Where each example's matrix sends every place: (N, rows, columns, 2), or an axis and a coordinate more."""
    places = places_of(tuple(size), align_corners, theta.dtype)
    return np.reshape(np.matmul(places, np.swapaxes(theta, -1, -2)), (size[0], *size[2:], len(size) - 2))


def affine_grid_transposed(g: Any, theta: Any, size: list[int], align_corners: bool) -> Any:
    """Σ g of each place times the place."""
    places = places_of(tuple(size), align_corners, g.dtype)
    rows = np.reshape(g, shape=(size[0], -1, len(size) - 2))
    return np.matmul(np.swapaxes(rows, axis1=-1, axis2=-2), places)


# -- put back ----------------------------------------------------------------------------------------


def targets(x: Any, indices: Any) -> Any:
    """The index of the pixels among those of each channel of each example."""
    examples, channels = np.indices(np.shape(x)[:2])
    return examples[:, :, None, None], channels[:, :, None, None], np.asarray(indices, dtype=np.intp)


@dispatched
def max_unpool2d(x: Any, *, indices: Any, kernel_size: tuple[int, int], output_size: tuple[int, int]) -> Any:
    """Zeros with each entry at the pixel that its index numbers, row by row; no pixel is numbered twice."""
    shape = (*np.shape(x)[:2], output_size[0] * output_size[1])
    return np.reshape(scatter_add(x, index=targets(x, indices), shape=shape), (*shape[:2], *output_size))


def max_unpool2d_transposed(
    g: Any, x: Any, indices: Any, kernel_size: tuple[int, int], output_size: tuple[int, int]
) -> Any:
    """The cotangents of the pixels."""
    flat = np.reshape(g, shape=(*np.shape(x)[:2], output_size[0] * output_size[1]))
    return getitem(flat, index=targets(x, indices))


# -- channels in another order -----------------------------------------------------------------------


@dispatched
def channel_shuffle(x: Any, *, groups: int) -> Any:
    """The first channels of all groups, then the second ones, and so on."""
    batch, channels, *sides = np.shape(x)
    parts = np.reshape(x, (batch, groups, channels // groups, *sides))
    return np.reshape(np.swapaxes(parts, 1, 2), np.shape(x))


def other_groups(shapes: Any, groups: int) -> Mapping[str, int]:
    """As many groups as a group has channels."""
    return {"groups": shapes[0][1] // groups}


# -- laws and rows -----------------------------------------------------------------------------------


SIZES = (
    (1, 1, 2, 3),
    (2, 1, 3, 3),
    (1, 2, 1, 4),
    (3, 1, 1, 1),
    (1, 1, 2, 3, 2),
    (2, 1, 1, 2, 2),
    (1, 1, 17, 2),
    (7, 1, 2, 2),
)


def turning(choose: Choose) -> Signature:
    """A matrix for each image or volume, and its size."""
    size = choose(SIZES)
    axes = len(size) - 2
    parameters = {"size": [*size], "align_corners": choose((False, True))}
    return Signature(((size[0], axes, axes + 1),), parameters)


POOLED: tuple[Shape, ...] = (
    (1, 1, 2, 2),
    (2, 2, 1, 3),
    (1, 3, 3, 2),
    (3, 1, 1, 1),
    (1, 1, 2, 17),
    (7, 1, 2, 2),
    (1, 17, 1, 2),
)


def unpooling(choose: Choose) -> Signature:
    """Entries of windows, and where in its window each one was: the image may be larger by a row or a column."""
    shape, kernel, more = (
        choose(POOLED),
        choose(((2, 2), (1, 3), (3, 2), (1, 1))),
        choose(((0, 0), (0, 1), (1, 0))),
    )
    sides = tuple(n * k for n, k in zip(shape[2:], kernel, strict=True))
    high, wide = (side + min(m, k - 1) for side, m, k in zip(sides, more, kernel, strict=True))
    example, channel, row, column = np.indices(shape)
    turn = example + 2 * channel + row + 3 * column
    indices = (row * kernel[0] + turn % kernel[0]) * wide + column * kernel[1] + turn // 2 % kernel[1]
    parameters = {"indices": indices.tolist(), "kernel_size": kernel, "output_size": (high, wide)}
    return Signature((shape,), parameters)


SHUFFLED: tuple[tuple[Shape, int], ...] = (
    *(((1, 4, 2, 2), 2), ((2, 6, 1, 3), 3), ((2, 6, 1, 3), 2), ((1, 3, 2, 1), 1), ((1, 3, 2, 1), 3), ((2, 4, 3), 2)),
    *(((0, 4, 2), 2), ((1, 8, 1, 2, 2), 4), ((1, 34, 1, 2), 17), ((7, 4, 2), 2)),
)  # fmt: skip


def shuffling(choose: Choose) -> Signature:
    """Images, signals or volumes with channels in so many groups."""
    shape, groups = choose(SHUFFLED)
    return Signature((shape,), {"groups": groups})


ROWS: tuple[Op, ...] = (
    linear("affine_grid", affine_grid, affine_grid_transposed,
        formula="θ̄ = Σ g pᵀ over the places p", source="Jaderberg and others 2015, eq. 1: linear in the matrix",
        law=turning, traits={HOLOMORPHIC}),
    linear("max_unpool2d", max_unpool2d, max_unpool2d_transposed,
        formula="x̄ = g[indices]", source="Zeiler and Fergus 2014, section 2.1: linear, the transpose picks",
        law=unpooling, traits={HOLOMORPHIC}),
    linear("channel_shuffle", channel_shuffle,
        lambda g, x, groups: channel_shuffle(g, **other_groups([np.shape(x)], groups)),
        formula="x̄ = g with its channels put back", source="Zhang and others 2018, section 3.1; a permutation's transpose is its inverse",
        law=shuffling, traits={HOLOMORPHIC, exactly_undone_by("channel_shuffle", other_groups)}),
)  # fmt: skip
