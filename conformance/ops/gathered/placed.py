"""Entries placed along an axis, blocks cut out of an array and put into one, and bags of a table's rows."""

from __future__ import annotations

from typing import Any

import numpy as np

from conformance.op import DISTINCT, REAL, Choose, Op, Shape, Signature, index_below
from conformance.ops.dispatch import dispatched
from conformance.ops.indexing import getitem, index_update, places_along, scatter_add
from conformance.ops.reductions import routed
from conformance.ops.rows import general, linear
from conformance.ops.traits import HOLOMORPHIC, PIECEWISE_LINEAR, Homogeneous

# -- placed along an axis ----------------------------------------------------------------------------


@dispatched
def put_along_axis(x: Any, values: Any, *, indices: Any, axis: int) -> Any:
    """`x` with the entries that the indices name along an axis replaced by the values; none is named twice."""
    result = np.array(x)
    np.put_along_axis(result, np.asarray(indices, dtype=np.intp).reshape(np.shape(values)), values, axis)
    return result


def put_into(g: Any, z: Any, x: Any, values: Any, indices: Any, axis: int) -> Any:
    """What is replaced has no influence."""
    return put_along_axis(g, np.zeros(np.shape(values), g.dtype), indices=indices, axis=axis)


def put_from(g: Any, z: Any, x: Any, values: Any, indices: Any, axis: int) -> Any:
    """The cotangents of the places."""
    places = np.asarray(indices, dtype=np.intp).reshape(np.shape(values))
    return getitem(g, index=places_along(g, places, axis))


def putting(choose: Choose) -> Signature:
    """One operand, an axis, and different places along it, other ones for each of its rows."""
    shapes = ((3,), (2, 3), (3, 3), (3, 3, 3), (5,), (1, 3), (3, 1), (2, 1, 3, 2), (33,), (7, 2), (2, 65))
    shape = choose(shapes)
    axis = choose([a for a in range(-len(shape), len(shape)) if shape[a] != 2])
    place = axis % len(shape)
    count = choose([n for n in (2, 1, shape[axis], 0) if n <= shape[axis]])
    sent = (*shape[:place], count, *shape[place + 1 :])
    # Each second place, no two of which are alike since the axis is odd, from another one on in each row.
    places = np.indices(sent)
    indices = (places[place] + places.sum(axis=0)) % shape[axis]
    return Signature((shape, sent), {"indices": indices.tolist(), "axis": axis})


# -- blocks ------------------------------------------------------------------------------------------


def block(shape: Shape, start: tuple[int, ...], sizes: Shape) -> tuple[slice, ...]:
    """The block that begins at `start`, or as near as it fits."""
    begins = [max(0, min(i, n - size)) for i, n, size in zip(start, shape, sizes, strict=True)]
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


# Arrays, where blocks begin, some too far behind, and the blocks' sizes.
BLOCKS: tuple[tuple[Shape, tuple[int, ...], Shape], ...] = (
    *(((3,), (1,), (2,)), ((2, 3), (0, 1), (2, 2)), ((3, 3), (1, 0), (1, 3)), ((3, 3), (5, 1), (2, 2)), ((5,), (4,), (3,))),
    *(((3, 3, 3), (1, 0, 2), (2, 3, 1)), ((), (), ()), ((3,), (1,), (0,)), ((0, 3), (0, 1), (0, 2)), ((33,), (16,), (17,))),
    *(((2, 1, 3, 2), (1, 0, 0, 1), (1, 1, 2, 1)), ((7, 2), (9, 9), (3, 1)), ((2, 65), (0, 60), (1, 33)), ((1025,), (3,), (1000,))),
)  # fmt: skip


def slicing(choose: Choose) -> Signature:
    """An array, and one of its blocks."""
    shape, start, sizes = choose(BLOCKS)
    return Signature((shape,), {"start": start, "sizes": sizes})


def updating(choose: Choose) -> Signature:
    """An array, and a block to put into it."""
    shape, start, sizes = choose(BLOCKS)
    return Signature((shape, sizes), {"start": start})


# -- bags --------------------------------------------------------------------------------------------

BAGGED = {"sum": np.sum, "mean": np.mean, "max": np.max}


@dispatched
def embedding_bag(weight: Any, indices: Any, *, mode: str) -> Any:
    """The sum, the mean or the largest entries of the rows that each bag of indices names."""
    return BAGGED[mode](weight[indices], axis=1)


def bag_vjp(g: Any, z: Any, weight: Any, indices: Any, mode: str) -> Any:
    """Each bag's cotangent added to its rows, or to the entries that are the largest."""
    chosen = getitem(weight, index=(indices,))
    each = np.broadcast_to(np.expand_dims(g, axis=1), shape=np.shape(chosen))
    if mode == "mean":
        each = each / np.shape(indices)[1]
    if mode == "max":
        each = routed(g, z, chosen, 1)
    return scatter_add(each, index=(indices,), shape=np.shape(weight))


# Rows of the table, their length, and the bags.
TABLES = (
    *((3, 3, (2, 2)), (4, 2, (3, 1)), (1, 3, (2, 3)), (5, 1, (2, 4)), (3, 33, (1, 2)), (33, 2, (5, 3)), (2, 2, (17, 2))),
)  # fmt: skip


def bagging(choose: Choose) -> Signature:
    """A table, bags of as many indices each, which repeat, and what becomes of the rows."""
    count, width, bags = choose(TABLES)
    mode = choose(tuple(BAGGED))
    domains = (DISTINCT if mode == "max" else REAL, index_below(count))
    return Signature(((count, width), bags), {"mode": mode}, domains=domains)


# -- rows --------------------------------------------------------------------------------------------

BOTH = {HOLOMORPHIC, PIECEWISE_LINEAR, Homogeneous(1, of=(0, 1))}

ROWS: tuple[Op, ...] = (
    general("put_along_axis", put_along_axis, put_into, put_from,
        formula="x̄ = g, 0 at the indices; v̄ = g there", source="linear in both: what is overwritten has no influence",
        law=putting, aliases=("scatter",), traits=BOTH),
    linear("dynamic_slice", dynamic_slice, sliced_vjp,
        formula="x̄ = g in the block, else 0", source="linear; the transpose of cutting out puts back", law=slicing,
        traits={HOLOMORPHIC}),
    general("dynamic_update_slice", dynamic_update_slice, updated_vjp,
        lambda g, z, x, update, start: dynamic_slice(g, start=start, sizes=np.shape(update)),
        formula="x̄ = g, 0 in the block; ū = g there", source="linear in both: what is overwritten has no influence",
        law=updating, traits=BOTH),
    general("embedding_bag", embedding_bag, bag_vjp, None,
        formula="w̄[indices] += g, g/n, or g at the largest", source="embedding's rule and that of the reduction",
        domains=[REAL, index_below(1)], law=bagging,
        traits={PIECEWISE_LINEAR, Homogeneous(1)}),
)  # fmt: skip
