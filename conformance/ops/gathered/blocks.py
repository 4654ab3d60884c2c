"""Blocks cut out of an array and put into one, sums of segments, and windows along an axis."""

from __future__ import annotations

from typing import Any

import numpy as np

from conformance.op import Choose, Op, Shape, Signature
from conformance.ops.dispatch import dispatched
from conformance.ops.indexing import along, getitem, index_update, scatter_add
from conformance.ops.rows import general, linear
from conformance.ops.traits import HOLOMORPHIC, PIECEWISE_LINEAR, Homogeneous

# -- blocks ------------------------------------------------------------------------------------------


def block(shape: Shape, start: tuple[int, ...], sizes: Shape) -> tuple[slice, ...]:
    """The block that begins at `start`, or as near as it fits; negative places count from the end."""
    counted = (i + n if i < 0 else i for i, n in zip(start, shape, strict=True))
    begins = [max(0, min(i, n - size)) for i, n, size in zip(counted, shape, sizes, strict=True)]
    return tuple(slice(i, i + size) for i, size in zip(begins, sizes, strict=True))


@dispatched
def dynamic_slice(x: Any, *, start: tuple[int, ...], sizes: Shape) -> Any:
    """The block of these sizes that begins at `start`, or as near as it fits."""
    return x[block(np.shape(x), start, sizes)]


@dispatched
def dynamic_update_slice(x: Any, update: Any, *, start: tuple[int, ...]) -> Any:
    """`x` with the block that begins at `start`, or as near as it fits, replaced."""
    return index_update(x, update, index=block(np.shape(x), start, np.shape(update)))


def sliced_vjp(g: Any, x: Any, start: tuple[int, ...], sizes: Shape) -> Any:
    """g in its block, 0 elsewhere."""
    return scatter_add(g, index=block(np.shape(x), start, sizes), shape=np.shape(x))


def updated_vjp(g: Any, z: Any, x: Any, update: Any, start: tuple[int, ...]) -> Any:
    """0 in the block, g elsewhere."""
    return dynamic_update_slice(g, np.zeros(np.shape(update), g.dtype), start=start)


# Arrays, where blocks begin, some too far behind or counted from the end, and the blocks' sizes.
BLOCKS: tuple[tuple[Shape, tuple[int, ...], Shape], ...] = (
    *(((3,), (1,), (2,)), ((2, 3), (0, 1), (2, 2)), ((3, 3), (1, 0), (1, 3)), ((3, 3), (5, 1), (2, 2)), ((5,), (4,), (3,))),
    *(((3, 3, 3), (1, 0, 2), (2, 3, 1)), ((), (), ()), ((3,), (1,), (0,)), ((0, 3), (0, 1), (0, 2)), ((33,), (16,), (17,))),
    *(((2, 1, 3, 2), (1, 0, 0, 1), (1, 1, 2, 1)), ((7, 2), (9, 9), (3, 1)), ((2, 65), (0, 60), (1, 33)), ((1025,), (3,), (1000,))),
    *(((3, 3), (-1, 1), (2, 1)), ((5,), (-4,), (2,)), ((2, 3), (-9, -2), (1, 2)), ((3, 1), (1, 0), (2, 1)), ((1, 4), (0, 1), (1, 2)), ((1, 1), (0, 0), (1, 1))),
)  # fmt: skip


def slicing(choose: Choose) -> Signature:
    """An array, and one of its blocks."""
    shape, start, sizes = choose(BLOCKS)
    return Signature((shape,), {"start": start, "sizes": sizes})


def updating(choose: Choose) -> Signature:
    """An array, and a block to put into it."""
    shape, start, sizes = choose(BLOCKS)
    return Signature((shape, sizes), {"start": start})


# -- segments ----------------------------------------------------------------------------------------


def sent(segment_ids: list[int], num_segments: int) -> tuple[list[int], list[int]]:
    """Which entries belong to a segment that there is, and to which."""
    places = [i for i, segment in enumerate(segment_ids) if 0 <= segment < num_segments]
    return places, [segment_ids[i] for i in places]


@dispatched
def segment_sum(x: Any, *, segment_ids: list[int], num_segments: int) -> Any:
    """The sums of the entries along the first axis that belong to each segment; those of no segment are left out."""
    places, segments = sent(segment_ids, num_segments)
    shape = (num_segments, *np.shape(x)[1:])
    return scatter_add(getitem(x, index=(places,)), index=(segments,), shape=shape)


def segment_vjp(g: Any, x: Any, segment_ids: list[int], num_segments: int) -> Any:
    """The cotangent of each entry's segment, 0 where it has none."""
    places, segments = sent(segment_ids, num_segments)
    return scatter_add(getitem(g, index=(segments,)), index=(places,), shape=np.shape(x))


# Entries, the segment of each, and how many there are: in order or not, empty ones, some of no segment, one for all.
SEGMENTS: tuple[tuple[Shape, list[int], int], ...] = (
    *(((4,), [0, 0, 1, 1], 2), ((3, 2), [1, 0, 1], 2), ((3, 3), [2, 0, 2], 4), ((5,), [0, 0, 0, 0, 0], 1), ((1, 3), [1], 3)),
    *(((4, 2, 3), [0, 3, 0, 3], 4), ((3,), [0, 5, 1], 2), ((2, 3), [-1, 1], 2), ((0, 2), [], 2), ((3, 0), [0, 1, 1], 2)),
    *(((33,), [i * i % 7 for i in range(33)], 7), ((17, 2), [i // 4 for i in range(17)], 5), ((129,), [i % 2 for i in range(129)], 2)),
    *(((2, 1, 3, 2), [1, 1], 2), ((66, 2), [65 - i for i in range(66)], 66), ((4, 1), [1, 0, 1, 1], 2), ((1, 1), [0], 1)),
)  # fmt: skip


def segmenting(choose: Choose) -> Signature:
    """Entries along the first axis, and the segment of each."""
    shape, ids, count = choose(SEGMENTS)
    return Signature((shape,), {"segment_ids": ids, "num_segments": count})


# -- windows along an axis -----------------------------------------------------------------------------


def window_places(length: int, size: int, step: int) -> Any:
    """The places of each window, a row for each."""
    return np.arange(0, length - size + 1, step)[:, None] + np.arange(size)


@dispatched
def sliding_windows(x: Any, *, axis: int, size: int, step: int) -> Any:
    """Every window of so many entries along the axis, a step apart; their entries are along a new last axis."""
    places = window_places(np.shape(x)[axis], size, step)
    return np.moveaxis(np.take(x, places, axis=axis), axis % np.ndim(x) + 1, -1)


def windows_vjp(g: Any, x: Any, axis: int, size: int, step: int) -> Any:
    """The cotangents of the windows added up."""
    place = axis % np.ndim(x)
    behind = np.moveaxis(g, source=-1, destination=place + 1)
    places = window_places(np.shape(x)[place], size, step)
    return scatter_add(behind, index=along(place, np.ndim(x), places), shape=np.shape(x))


WINDOWED: tuple[Shape, ...] = (
    *((3,), (2, 3), (3, 3), (3, 3, 3), (5,), (2, 1, 3, 2), (1, 2, 1, 3, 2), (0, 3), (33,), (7, 2), (2, 65), (129,), (4, 1), (1, 1)),
)  # fmt: skip


def windowing(choose: Choose) -> Signature:
    """One operand, an axis, and windows along it: one after the other, overlapping, or with gaps between."""
    shape = choose(WINDOWED)
    axis = choose([a for a in range(-len(shape), len(shape)) if shape[a]])
    size = choose([n for n in (2, 1, 3, shape[axis]) if n <= shape[axis]])
    return Signature((shape,), {"axis": axis, "size": size, "step": choose((1, 2, 3))})


# -- rows --------------------------------------------------------------------------------------------

ROWS: tuple[Op, ...] = (
    linear("dynamic_slice", dynamic_slice, sliced_vjp,
        formula="x̄ = g in the block, else 0", source="linear; the transpose of picking a block puts it back", law=slicing,
        traits={HOLOMORPHIC}),
    general("dynamic_update_slice", dynamic_update_slice, updated_vjp,
        lambda g, z, x, update, start: dynamic_slice(g, start=start, sizes=np.shape(update)),
        formula="x̄ = g, 0 in the block; ū = g there", source="linear in both: what is overwritten has no influence",
        law=updating, traits={HOLOMORPHIC, PIECEWISE_LINEAR, Homogeneous(1, of=(0, 1))}),
    linear("segment_sum", segment_sum, segment_vjp,
        formula="x̄ᵢ = g of the segment of i, 0 where it has none", source="linear; the transpose of adding up copies",
        law=segmenting, traits={HOLOMORPHIC}),
    linear("sliding_windows", sliding_windows, windows_vjp,
        formula="x̄ᵢ = Σ g over the windows that i is in", source="linear; the transpose of copying windows adds them back",
        law=windowing, traits={HOLOMORPHIC}),
)  # fmt: skip
