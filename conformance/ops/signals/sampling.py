"""Images sampled at places that a grid gives: −1 is the left or upper end of an image, 1 the right or lower one.

The ends are those of the pixels at the margin, or with `align_corners` their middles. A place between the middles of
pixels takes a share of each of its four neighbours, or the value of the nearest.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from conformance.op import REAL, Choose, Domain, Op, Shape, Signature
from conformance.ops.dispatch import dispatched
from conformance.ops.indexing import getitem, scatter_add
from conformance.ops.rows import general, in_precision_of
from conformance.ops.traits import Homogeneous

LAST = -1  # the axis of channels while an image is sampled; in a grid, that of the two coordinates

# -- places ------------------------------------------------------------------------------------------


class Placed(NamedTuple):
    """Coordinates counted in pixels along an axis of so many, and their slopes in those of the grid."""

    place: Any
    slope: Any
    size: int


def pixels(grid: Any, count: int, padding_mode: str, align_corners: bool) -> Placed:
    """The coordinates of the grid in pixels; what is outside at the end, or mirrored, or left there for zeros."""
    if align_corners:
        place, slope = (grid + 1) / 2 * (count - 1), (count - 1) / 2
    else:
        place, slope = ((grid + 1) * count - 1) / 2, count / 2
    if padding_mode == "reflection":
        place, sign = reflected(place, count, align_corners)
        slope = slope * sign
    if padding_mode == "zeros":
        return Placed(place, slope, count)
    real = np.real(place)
    is_below, is_above = real <= 0, real >= count - 1  # neither of a NaN, which is at no pixel
    end = in_precision_of(place, np.where(is_below, 0, count - 1))
    is_outside = is_below | is_above
    return Placed(
        np.where(is_outside, end, place), in_precision_of(place, np.where(is_outside, 0, slope)), count
    )


def reflected(place: Any, count: int, align_corners: bool) -> tuple[Any, Any]:
    """The places mirrored at both ends of the image until they are inside, and 1 or −1."""
    low, span = (0, count - 1) if align_corners else (-0.5, count)
    if span == 0:
        return 0 * place, 0
    real = np.real(place - low)
    turns = integers(np.floor(np.abs(real) / span))
    is_back = turns % 2 == 1
    distance = np.where(real < 0, low - place, place - low) - in_precision_of(place, span * turns)
    sign = np.where(is_back, -1, 1) * np.where(real < 0, -1, 1)
    return low + np.where(is_back, span - distance, distance), in_precision_of(place, sign)


def placed(x: Any, grid: Any, padding_mode: str, align_corners: bool) -> tuple[Placed, Placed]:
    """The rows and the columns at which the image is sampled; a grid names the column first."""
    return (
        pixels(grid[..., 1], np.shape(x)[2], padding_mode, align_corners),
        pixels(grid[..., 0], np.shape(x)[3], padding_mode, align_corners),
    )


def integers(whole: Any) -> Any:
    """Whole numbers as integers, also those whose last digit the oracle perturbs."""
    return np.asarray(whole + 0.5 * np.sign(whole)).astype(int)


class Neighbour(NamedTuple):
    """A pixel beside each place along an axis: which, whether the image has it, its share, and the share's slope."""

    index: Any
    is_there: Any
    share: Any
    slope: Any


def neighbours(at: Placed, mode: str) -> tuple[Neighbour, ...]:
    """The pixel nearest to each place; or the one below it and the one above."""
    real = np.real(at.place)
    if mode == "nearest":
        return (neighbour(integers(np.rint(real)), at.size, 1, 0),)
    below = integers(np.floor(real))
    share = at.place - in_precision_of(at.place, below)
    return (
        neighbour(below, at.size, 1 - share, -at.slope),
        neighbour(below + 1, at.size, share, at.slope),
    )


def neighbour(index: Any, count: int, share: Any, slope: Any) -> Neighbour:
    """That pixel, or one that the image has in its place."""
    return Neighbour(np.clip(index, 0, count - 1), (index >= 0) & (index < count), share, slope)


# -- the op and its rule -----------------------------------------------------------------------------


def as_column(values: Any) -> Any:
    """Values of each sample against those of its channels; a number as it is."""
    return np.expand_dims(values, axis=LAST) if np.ndim(values) else values


def pairs(
    rows: tuple[Neighbour, ...], columns: tuple[Neighbour, ...], grid: Any
) -> Iterator[tuple[Any, ...]]:
    """Each row with each column: the index of their pixels, whether the image has them, and the neighbours."""
    examples = np.reshape(np.arange(np.shape(grid)[0]), shape=(-1, 1, 1))
    for row in rows:
        for column in columns:
            is_there = as_column(row.is_there & column.is_there)
            yield (examples, row.index, column.index), is_there, row, column


@dispatched
def grid_sample(x: Any, grid: Any, *, mode: str, padding_mode: str, align_corners: bool) -> Any:
    """The image at each place of the grid: (N, C, rows of the grid, its columns)."""
    rows, columns = (neighbours(at, mode) for at in placed(x, grid, padding_mode, align_corners))
    last, z = np.moveaxis(x, 1, LAST), np.zeros((), x.dtype)
    for index, is_there, row, column in pairs(rows, columns, grid):
        z = z + as_column(row.share * column.share) * np.where(is_there, last[index], 0)
    return np.moveaxis(z, LAST, 1)


def sampled_image(
    g: Any, z: Any, x: Any, grid: Any, mode: str, padding_mode: str, align_corners: bool
) -> Any:
    """Each cotangent's shares added up at the pixels that they were taken from."""
    rows, columns = (neighbours(at, mode) for at in placed(x, grid, padding_mode, align_corners))
    n, c, height, width = np.shape(x)
    last = np.moveaxis(g, source=1, destination=LAST)
    image: Any = 0
    for index, is_there, row, column in pairs(rows, columns, grid):
        shares = np.where(is_there, as_column(row.share * column.share) * last, 0)
        image = image + scatter_add(shares, index=index, shape=(n, height, width, c))
    return np.moveaxis(image, source=LAST, destination=1)


def sampled_grid(g: Any, z: Any, x: Any, grid: Any, mode: str, padding_mode: str, align_corners: bool) -> Any:
    """The slopes of the shares times the pixels, summed over the channels; 0 where the nearest pixel is copied."""
    if mode == "nearest":
        return np.zeros(np.shape(grid), g.dtype)
    rows, columns = (neighbours(at, mode) for at in placed(x, grid, padding_mode, align_corners))
    last = np.moveaxis(x, source=1, destination=LAST)
    cotangent = np.moveaxis(g, source=1, destination=LAST)
    along_rows: Any = 0
    along_columns: Any = 0
    for index, is_there, row, column in pairs(rows, columns, grid):
        value = np.sum(np.where(is_there, cotangent * getitem(last, index=index), 0), axis=LAST)
        along_rows = along_rows + row.slope * column.share * value
        along_columns = along_columns + row.share * column.slope * value
    return np.stack([along_columns, along_rows], axis=LAST)


# -- the law and the row -----------------------------------------------------------------------------

# Images, and the rows and columns of the grid.
CALLS: tuple[tuple[Shape, tuple[int, int]], ...] = (
    *(((1, 1, 3, 3), (2, 2)), ((2, 2, 2, 3), (2, 3)), ((1, 3, 4, 2), (1, 4)), ((2, 1, 3, 5), (3, 1))),
    *(((1, 2, 1, 4), (2, 2)), ((1, 1, 1, 1), (1, 2)), ((7, 1, 3, 2), (1, 2)), ((1, 17, 2, 2), (2, 1))),
    *(((1, 1, 3, 3), (1, 33)), ((1, 2, 5, 3), (17, 2)), ((2, 2, 3, 3), (0, 2))),
)  # fmt: skip
REACH = 1.5  # of the coordinates, beyond both ends


def kinks(count: int, mode: str, padding_mode: str, align_corners: bool) -> set[float]:
    """The coordinates at which another pixel becomes a neighbour, and those of the ends at which places are mirrored."""
    between = [k + (0.5 if mode == "nearest" else 0.0) for k in range(-2 * count - 2, 3 * count + 2)]
    ends = [-0.5, count - 0.5] if padding_mode == "reflection" and not align_corners else []
    if align_corners:
        at = [2 * p / (count - 1) - 1 for p in between] if count > 1 else []
    else:
        at = [(2 * p + 1) / count - 1 for p in [*between, *ends]]
    return {p for p in at if abs(p) < REACH}


def sampling(choose: Choose) -> Signature:
    """Images, as many grids, and how they are read."""
    shape, places = choose(CALLS)
    mode, padding_mode = choose(("bilinear", "nearest")), choose(("zeros", "border", "reflection"))
    align_corners = choose((False, True))
    height, width = (kinks(size, mode, padding_mode, align_corners) for size in shape[2:])
    grid = Domain(low=-REACH, high=REACH, kinks=tuple(sorted(height | width)))
    parameters = {"mode": mode, "padding_mode": padding_mode, "align_corners": align_corners}
    return Signature((shape, (shape[0], *places, 2)), parameters, domains=(REAL, grid))


ROWS: tuple[Op, ...] = (
    general("grid_sample", grid_sample, sampled_image, sampled_grid,
        formula="x̄[i] = Σ w g over the samples that take the share w of pixel i, ḡrid = Σ g x[i] ∂w/∂grid",
        source="Jaderberg and others 2015, eq. 6 and 7; outside the image zeros, its margin or its mirror image",
        domains=[REAL, Domain(low=-REACH, high=REACH)], law=sampling, traits={Homogeneous(1)}),
)  # fmt: skip
