"""Entries placed along an axis or on a diagonal, and bags of a table's rows."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from conformance.op import DISTINCT, REAL, Choose, Op, Shape, Signature, index_below
from conformance.ops import laws
from conformance.ops.dispatch import dispatched
from conformance.ops.indexing import along, getitem, places_along, scatter_add
from conformance.ops.laws.arrangements import RANKS
from conformance.ops.reductions import routed
from conformance.ops.rows import general
from conformance.ops.traits import HOLOMORPHIC, PIECEWISE_LINEAR, QUADRATIC, Homogeneous

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
    small = ((3,), (2, 3), (3, 3), (3, 3, 3), (5,), (1, 3), (3, 1), (1, 1))
    shape = choose((*small, (2, 1, 3, 2), (33,), (7, 2), (2, 65)))
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
    """One operand, an axis, different places along it, and as many slices; of three, an order that is not its own inverse."""
    shape = choose(((3,), (2, 3), (3, 3), (3, 3, 3), (1,), *RANKS, (33,), (2, 64), (129, 2), (0, 3)))
    axis = choose([a for a in (*range(len(shape)), *range(-len(shape), 0)) if shape[a]])
    last = shape[axis] - 1
    around = [*range(1, last + 1), 0]
    indices = choose(
        (
            *([0], [*range(last, -1, -1)], [], [last]),
            *([*range(0, last + 1, 2)], [*range(last + 1)], around),
        )
    )
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
    value=(0.0, 1.3, -2.0),
    wrap=(False, True),
)  # fmt: skip


# -- bags --------------------------------------------------------------------------------------------


@dispatched
def counted(indices: Any, padding_idx: int | None, count: int) -> Any:
    """Which of the rows that a bag names are in it: all but the one that pads bags; (bags, rows, 1)."""
    padding = None if padding_idx is None else padding_idx % count
    return np.expand_dims(
        np.ones(np.shape(indices), bool) if padding is None else indices != padding, axis=-1
    )


def bag_sizes(is_counted: Any, like: Any) -> Any:
    """How many rows are in each bag, as a column; 1 for none, whose mean is 0."""
    return np.maximum(np.sum(is_counted, axis=1), 1).astype(like.dtype)


@dispatched
def embedding_bag(weight: Any, indices: Any, *, mode: str, padding_idx: int | None) -> Any:
    """The sum, the mean or the largest entries of the rows that each bag of indices names; 0 of none."""
    is_counted = counted(indices, padding_idx, len(weight))
    if mode == "max":
        largest = np.max(np.where(is_counted, weight[indices], -np.inf), axis=1)
        return np.where(np.any(is_counted, axis=1), largest, 0).astype(weight.dtype)
    sums = np.sum(np.where(is_counted, weight[indices], 0), axis=1)
    return sums / bag_sizes(is_counted, weight) if mode == "mean" else sums


def bag_vjp(g: Any, z: Any, weight: Any, indices: Any, mode: str, padding_idx: int | None) -> Any:
    """Each bag's cotangent added to its rows, or to the entries that are the largest."""
    is_counted = counted(indices, padding_idx, len(weight))
    if mode == "max":
        chosen = np.where(is_counted, getitem(weight, index=(indices,)), -np.inf)
        each = routed(np.where(np.any(is_counted, axis=1), g, 0), z, chosen, 1)
    else:
        each = np.expand_dims(g / bag_sizes(is_counted, g) if mode == "mean" else g, axis=1)
    return scatter_add(np.where(is_counted, each, 0), index=(indices,), shape=np.shape(weight))


@dispatched
def weighted_embedding_bag(weight: Any, indices: Any, shares: Any, *, padding_idx: int | None) -> Any:
    """The sum of the rows that each bag of indices names, each times its share."""
    is_counted = counted(indices, padding_idx, len(weight))
    return np.sum(np.where(is_counted, shares[..., None] * weight[indices], 0), axis=1)


def weighted_bag_rows(g: Any, z: Any, weight: Any, indices: Any, shares: Any, padding_idx: int | None) -> Any:
    """Each bag's cotangent times the share of each row, added to that row."""
    each = np.expand_dims(g, axis=1) * np.expand_dims(shares, axis=-1)
    each = np.where(counted(indices, padding_idx, len(weight)), each, 0)
    return scatter_add(each, index=(indices,), shape=np.shape(weight))


def weighted_bag_shares(
    g: Any, z: Any, weight: Any, indices: Any, shares: Any, padding_idx: int | None
) -> Any:
    """The product of each row with its bag's cotangent; 0 of the row that pads bags."""
    products = np.expand_dims(g, axis=1) * getitem(weight, index=(indices,))
    return np.sum(np.where(counted(indices, padding_idx, len(weight)), products, 0), axis=-1)


# Rows of the table, their length, and the bags.
TABLES = (
    *((3, 3, (2, 2)), (4, 2, (3, 1)), (1, 3, (2, 3)), (5, 1, (2, 4)), (3, 33, (1, 2)), (33, 2, (5, 3)), (2, 2, (17, 2)), (1, 1, (1, 1))),
)  # fmt: skip
PADDINGS = (None, 0, -1)  # which row pads bags


def bagging(choose: Choose) -> Signature:
    """A table, bags of as many indices each, which repeat, what becomes of the rows, and the row that pads bags."""
    count, width, bags = choose(TABLES)
    mode = choose(("sum", "mean", "max"))
    padding = choose(PADDINGS if count > 1 else (None,))
    domains = (DISTINCT if mode == "max" else REAL, index_below(count))
    return Signature(((count, width), bags), {"mode": mode, "padding_idx": padding}, domains=domains)


def weighted_bagging(choose: Choose) -> Signature:
    """A table, bags of as many indices each, which repeat, a share for each of them, and the row that pads bags."""
    count, width, bags = choose(TABLES)
    padding = choose(PADDINGS if count > 1 else (None,))
    domains = (REAL, index_below(count), REAL)
    return Signature(((count, width), bags, bags), {"padding_idx": padding}, domains=domains)


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
    general("weighted_embedding_bag", weighted_embedding_bag, weighted_bag_rows, None, weighted_bag_shares,
        formula="w̄[indices] += s g, s̄ = w[indices] · g", source="product rule, embedding's rule and the sum's",
        domains=[REAL, index_below(1), REAL], law=weighted_bagging,
        traits={HOLOMORPHIC, QUADRATIC, Homogeneous(1), Homogeneous(1, of=(2,)), Homogeneous(2, of=(0, 2))}),
)  # fmt: skip
