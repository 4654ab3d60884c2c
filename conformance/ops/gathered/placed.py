"""Entries placed along an axis or on a diagonal, and bags of a table's rows."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from conformance.op import DISTINCT, REAL, Choose, Op, Shape, Signature, index_below
from conformance.ops import laws
from conformance.ops.dispatch import dispatched
from conformance.ops.indexing import along, getitem, places_along, scatter_add
from conformance.ops.laws.arrangements import RANKS
from conformance.ops.reductions import routed
from conformance.ops.rows import general
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


@dispatched
def index_copy(x: Any, values: Any, *, indices: list[int], axis: int) -> Any:
    """`x` with the slices that the indices name along an axis replaced by those of the values; none is named twice."""
    result = np.array(x)
    result[along(axis, np.ndim(x), np.asarray(indices, dtype=np.intp))] = values
    return result


def copied_into(g: Any, z: Any, x: Any, values: Any, indices: list[int], axis: int) -> Any:
    """What is replaced has no influence."""
    return index_copy(g, np.zeros(np.shape(values), g.dtype), indices=indices, axis=axis)


def copied_from(g: Any, z: Any, x: Any, values: Any, indices: list[int], axis: int) -> Any:
    """The cotangents of the slices."""
    return np.take(g, np.asarray(indices, dtype=np.intp), axis=axis)


def copying(choose: Choose) -> Signature:
    """One operand, an axis, different places along it, and as many slices."""
    shape = choose(((3,), (2, 3), (3, 3), (3, 3, 3), (1,), *RANKS, (33,), (2, 64), (129, 2), (0, 3)))
    axis = choose([a for a in (*range(len(shape)), *range(-len(shape), 0)) if shape[a]])
    last = shape[axis] - 1
    indices = choose(([0], [*range(last, -1, -1)], [], [last], [*range(0, last + 1, 2)], [*range(last + 1)]))
    place = axis % len(shape)
    sent = (*shape[:place], len(indices), *shape[place + 1 :])
    return Signature((shape, sent), {"indices": indices, "axis": axis})


# -- on a diagonal -----------------------------------------------------------------------------------


def on_diagonal(shape: Shape, wrap: bool) -> Any:
    """Where the diagonal is: the entries with equal indices, of a tall matrix again behind each square and a row."""
    if len(shape) > 2 or wrap:
        step = 1 + sum(math.prod(shape[axis:]) for axis in range(1, len(shape)))
        return np.reshape(np.arange(math.prod(shape)) % step == 0, shape)
    return np.eye(*shape, dtype=bool)


@dispatched
def fill_diagonal(x: Any, *, value: float, wrap: bool) -> Any:
    """`x` with the value on its diagonal."""
    return np.where(on_diagonal(np.shape(x), wrap), value, x)


def fill_diagonal_vjp(g: Any, z: Any, x: Any, value: float, wrap: bool) -> Any:
    """g beside the diagonal."""
    return np.where(on_diagonal(np.shape(x), wrap), 0, g)


FILLED = laws.shapes_of(
    *(((2, 3),), ((3, 3),), ((3, 2),), ((7, 2),), ((1, 1),), ((1, 3),), ((4, 1),), ((5, 2),), ((2, 2, 2),), ((3, 3, 3),)),
    *(((2, 2, 2, 2),), ((17, 3),), ((33, 33),), ((2, 65),), ((129, 2),), ((66, 5),)),
    value=(0.0, 1.5, -2.0),
    wrap=(False, True),
)  # fmt: skip


# -- bags --------------------------------------------------------------------------------------------

BAGGED: dict[str, Callable[..., Any]] = {"sum": np.sum, "mean": np.mean, "max": np.max}


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

ROWS: tuple[Op, ...] = (
    general("put_along_axis", put_along_axis, put_into, put_from,
        formula="x̄ = g, 0 at the indices; v̄ = g there", source="linear in both: what is overwritten has no influence",
        law=putting, aliases=("scatter",), traits={HOLOMORPHIC, PIECEWISE_LINEAR, Homogeneous(1, of=(0, 1))}),
    general("index_copy", index_copy, copied_into, copied_from,
        formula="x̄ = g, 0 in the slices; v̄ = g there", source="linear in both: what is overwritten has no influence",
        law=copying, traits={HOLOMORPHIC, PIECEWISE_LINEAR, Homogeneous(1, of=(0, 1))}),
    general("fill_diagonal", fill_diagonal, fill_diagonal_vjp,
        formula="x̄ = g beside the diagonal, 0 on it", source="what is overwritten has no influence",
        law=FILLED, traits={HOLOMORPHIC, PIECEWISE_LINEAR}),
    general("embedding_bag", embedding_bag, bag_vjp, None,
        formula="w̄[indices] += g, g/n, or g at the largest", source="embedding's rule and that of the reduction",
        domains=[REAL, index_below(1)], law=bagging,
        traits={PIECEWISE_LINEAR, Homogeneous(1)}),
)  # fmt: skip
