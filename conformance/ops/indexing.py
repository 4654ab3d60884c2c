"""Indexing and sorting: results whose entries are entries of the operand, picked by place or by order.

`index` is what stands between the brackets, as a tuple: integers, slices, Ellipsis, None, and lists of integers or of truth values
(masks). Picking is linear and its transpose adds what was picked back into its place: `getitem` and `scatter_add` are each other's rule.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from conformance.op import (
    BOOLEAN,
    DISTINCT,
    REAL,
    Choose,
    Law,
    Op,
    Shape,
    Signature,
    index_below,
)
from conformance.ops import laws
from conformance.ops.dispatch import dispatched
from conformance.ops.laws.arrangements import RANKS
from conformance.ops.rows import general, linear, unbroadcast
from conformance.ops.traits import HOLOMORPHIC, LINEAR, ORDER_INVARIANT, PIECEWISE_LINEAR, Homogeneous, Shift

Index = tuple[Any, ...]


# -- references NumPy lacks ------------------------------------------------------------------------


def key_of(index: Index) -> Index:
    """The index with its lists as arrays of integers (an empty list would be one of floats), or of truth values."""
    return tuple(_as_array(np.asarray(i)) if isinstance(i, list) else i for i in index)


def _as_array(listed: Any) -> Any:
    return listed if listed.dtype == bool else listed.astype(np.intp)


@dispatched
def getitem(x: Any, *, index: Index) -> Any:
    """x[index]; `getitem` is asked with integers, slices, None and `...`, `getitem_integer_array` with arrays of integers."""
    return x[key_of(index)]


@dispatched
def index_add(x: Any, values: Any, *, index: Index) -> Any:
    """`x` with `values` added at `index`; a place named twice receives both."""
    key, result = key_of(index), np.array(x)
    if any(isinstance(i, np.ndarray) for i in key):
        np.add.at(result, key, values)
    else:
        result[key] += values  # names no place twice, so the faster way is right
    return result


@dispatched
def scatter_add(values: Any, *, index: Index, shape: Shape) -> Any:
    """Zeros of `shape` with `values` added at `index`."""
    return index_add(np.zeros(shape, dtype=values.dtype), values, index=index)


@dispatched
def index_update(x: Any, values: Any, *, index: Index) -> Any:
    """`x` with the entries at `index` replaced by `values`; no place is named twice."""
    result = np.array(x)
    result[key_of(index)] = values
    return result


@dispatched
def masked_fill(x: Any, mask: Any, *, value: float) -> Any:
    """`x` with `value` where the mask is true."""
    return np.where(mask, value, x)


# -- places ----------------------------------------------------------------------------------------


def along(axis: int, ndim: int, here: Any) -> Index:
    """The index that picks `here` along `axis` and everything along the axes before it."""
    return (slice(None),) * (axis % ndim) + (here,)


def put_back(g: Any, x: Any, indices: Any, axis: int | None) -> Any:
    """The transpose of taking `indices` along `axis` of `x` (of the flattened `x` where it is None)."""
    places = np.asarray(indices, dtype=np.intp)
    if axis is None:
        return np.reshape(scatter_add(g, index=(places,), shape=(np.size(x),)), shape=np.shape(x))
    return scatter_add(g, index=along(axis, np.ndim(x), places), shape=np.shape(x))


def places_along(x: Any, indices: Any, axis: int) -> Index:
    """The whole index that `take_along_axis` abbreviates: on every other axis each place itself."""
    ndim = np.ndim(x)
    return tuple(
        indices if a == axis % ndim else np.reshape(np.arange(n), shape=(-1,) + (1,) * (ndim - a - 1))
        for a, n in enumerate(np.shape(x))
    )


def take_along_axis_vjp(g: Any, z: Any, x: Any, indices: Any, axis: int = -1) -> Any:
    """The cotangents added back at the places they were taken from."""
    return scatter_add(g, index=places_along(x, indices, axis), shape=np.shape(x))


def sort_vjp(g: Any, z: Any, x: Any, axis: int = -1) -> Any:
    """The cotangents sent back to where their entries came from: the inverse permutation."""
    came_from = np.argsort(x, axis=axis)
    return np.take_along_axis(g, np.argsort(came_from, axis=axis), axis=axis)


# -- laws ------------------------------------------------------------------------------------------

BASIC: tuple[tuple[Shape, Index], ...] = (
    *(((3,), (0,)), ((3,), (-1,)), ((3, 1), (1,)), ((3, 1), (slice(1, None), 0)), ((1, 1), (0,))),
    ((3,), (slice(1, None),)),
    ((3,), (slice(None, None, -1),)),
    ((3,), (slice(1, 1),)),
    ((2, 3), (1,)),
    ((2, 3), (slice(None), 2)),
    ((2, 3), (Ellipsis, 0)),
    ((2, 3), (None, Ellipsis, None)),
    ((3, 3), (slice(None, None, 2), slice(2, None, -2))),
    ((3, 3), (slice(None), None, 1)),
    ((3, 3), (2, 0)),
    ((3, 3, 3), (1, Ellipsis, slice(2, 0, -1))),
    ((3, 3, 3), (slice(-2, None), 0, slice(None, -1))),
    ((), ()),
    ((), (Ellipsis, None)),
    ((2, 0), (1,)),
    # by both spellings, and steps of either sign that do not end at an end
    ((3, 3), (-1, -3)),
    ((3, 3, 3), (Ellipsis, -1, 2)),
    ((7,), (slice(-2, None, -2),)),
    ((7,), (slice(1, -1, 3),)),
    ((8, 5), (slice(6, 1, -3), slice(None, None, -1))),
    ((3,), (slice(5, None),)),
    ((0, 3), (slice(None, None, -1), 1)),
    ((2, 0, 3), (Ellipsis, slice(0, 2))),
    ((2, 1, 3, 2), (0, Ellipsis, None, -1)),
    ((1, 2, 1, 3, 2), (slice(None), 1, None, Ellipsis, slice(None, None, -2))),
    ((2, 1, 2, 3, 1, 2), (-1, Ellipsis, slice(1, None), 0, slice(None))),
    *(((2, 3), (slice(None, None, 2),)), ((3, 2), (Ellipsis, slice(None, None, -2)))),  # one entry of several
    ((33,), (slice(None, None, 2),)),
    ((2, 65), (slice(None), slice(64, None, -4))),
    ((129,), (slice(1, 128),)),
    ((1025,), (slice(None, None, -3),)),
)

LISTS: tuple[tuple[Shape, Index], ...] = (
    *(((3,), ([0, 2],)), ((3, 1), ([1, 0, 1],)), ((1, 1), ([0, 0],))),
    ((3,), ([2, 0, 2, 2],)),
    ((3,), ([-1, 0, 2],)),
    ((3,), ([],)),
    ((2, 3), ([[0, 1], [1, 1]],)),
    ((2, 3), (slice(None), [2, 0, 2])),
    ((3, 3), ([0, 1, 1], [2, 0, 0])),
    ((3, 3), ([[0], [2]], [1, 1])),
    ((3, 3), (Ellipsis, [1, 1])),
    ((3, 3), ([2, 2], slice(None, None, -1))),
    ((3, 3, 3), (1, slice(None), [0, 0])),
    ((3, 3, 3), ([0, 2], None, [1, 1])),
    # integers, lists, slices, Ellipsis and None at once; the same place by both spellings
    ((3,), ([1, -2, 1],)),
    ((3, 3), ([0, -3], [2, -1])),
    ((3, 3), (slice(None, None, -1), [2, 0])),
    ((3, 3), (-1, [2, 0, 2])),
    ((3, 3, 3), (slice(2, 0, -1), [0, 2], [1, 1])),
    ((3, 3, 3), ([0, 2], slice(1, None), [1, 1])),
    ((3, 3, 3), ([[0], [2]], Ellipsis, [0, 1, 1])),
    ((2, 3), ([], slice(None))),
    ((2, 0), ([1, 1],)),
    ((2, 1, 3, 2), (Ellipsis, [0, 2, 2], slice(None))),
    ((1, 2, 1, 3, 2), (0, [1, 0, 1], None, Ellipsis, -1)),
    ((2, 1, 2, 3, 1, 2), (slice(None), 0, Ellipsis, [1, 0], [0, 0], [1, 1])),
    ((5, 7), ([4, 4, 0, 2, 1, 4, 4, 3, 0],)),
    ((33,), ([32, 0, 16, 16, -1, -33, 7, 31],)),
    ((129, 2), ([128, 64, 0, 128, 127, 63, 65, -1, -129],)),
    # masks, whose places can be counted before anything is compiled
    ((3,), ([True, False, True],)),
    ((3,), ([False, False, False],)),
    ((2, 3), ([[True, False, True], [False, True, False]],)),
    ((3, 3), (slice(None), [False, True, True])),
    ((2, 3), (slice(None), [True, False, True])),
    ((3, 3, 3), ([True, False, True], slice(None, None, -1), [0, 2])),
)


def indexing(calls: tuple[tuple[Shape, Index], ...]) -> Law:
    """One operand and an index into it."""
    return laws.one_of(*((shape, {"index": index}) for shape, index in calls))


def picked(shape: Shape, index: Index) -> Shape:
    """The shape of what `index` picks."""
    return np.shape(np.empty(shape)[key_of(index)])


def scattering(choose: Choose) -> Signature:
    """The values, and the index into the shape that receives them."""
    shape, index = choose(BASIC + LISTS)
    return Signature((picked(shape, index),), {"index": index, "shape": shape})


def names_no_place_twice(shape: Shape, index: Index) -> bool:
    """Whether all that `index` picks from `shape` are different entries."""
    places = np.arange(math.prod(shape)).reshape(shape)[key_of(index)]
    return np.unique(places).size == places.size


def writing(calls: tuple[tuple[Shape, Index], ...]) -> Law:
    """An operand, values that broadcast to the shape of what `index` picks from it, and the index."""

    def law(choose: Choose) -> Signature:
        shape, index = choose(calls)
        whole = picked(shape, index)
        fewer = (whole, (), whole[1:], (*whole[:-1], 1)[: len(whole)], (1, *whole[1:])[: len(whole)])
        return Signature((shape, choose([*dict.fromkeys(fewer)])), {"index": index})

    return law


def taking(choose: Choose) -> Signature:
    """One operand, places along one of its axes (or of all its entries), and that axis."""
    shape = choose(((3,), (2, 3), (3, 3), (3, 3, 3), (1,), (3, 0), *RANKS, (33,), (2, 64), (129, 2)))
    forms = [*range(len(shape)), *range(-len(shape), 0), None]
    axis = choose([a for a in forms if (math.prod(shape) if a is None else shape[a])])
    last = (math.prod(shape) if axis is None else shape[axis]) - 1
    repeating = ([last, 0, last, 0], [0] * 9, [k % (last + 1) for k in range(300)])
    places = ([0], [-1], 0, -1, [[0], [last]], [last, -1, 0, -1 - last], *repeating)
    return Signature((shape,), {"indices": choose(places), "axis": axis})


def taking_along(choose: Choose) -> Signature:
    """One operand, indices that may repeat, of their own or the same everywhere, and the axis they point along."""
    shape = choose(((3,), (2, 3), (3, 3), (3, 3, 3), (0, 3), *RANKS, (33,), (2, 64)))
    axis = choose([a for a in range(-len(shape), len(shape)) if shape[a]])
    count, place = choose((shape[axis], 1, 2, 4, 0, 17)), axis % len(shape)
    alike, more = (tuple(min(n, 1) for n in shape), tuple(2 if n == 1 else n for n in shape))
    others = choose([*dict.fromkeys((shape, alike, more))])  # or several beside an axis of one entry
    indices = (*others[:place], count, *others[place + 1 :])
    return Signature((shape, indices), {"axis": axis}, domains=(REAL, index_below(shape[axis])))


MASKING = laws.with_parameters(laws.broadcast(2), value=(0.0, -2.3, 3))

# -- picking by place ------------------------------------------------------------------------------

PLACES = (
    linear("getitem", getitem, lambda g, x, index: scatter_add(g, index=index, shape=np.shape(x)),
        formula="x̄[index] += g, 0 elsewhere", source="linear; the transpose of picking adds back",
        law=indexing(BASIC), traits={HOLOMORPHIC}),
    linear("getitem_integer_array", getitem,
        lambda g, x, index: scatter_add(g, index=index, shape=np.shape(x)),
        formula="x̄[index] += g, 0 elsewhere",
        source="linear; what was picked twice receives both cotangents", law=indexing(LISTS),
        traits={HOLOMORPHIC}),
    linear("scatter_add", scatter_add, lambda g, x, index, shape: getitem(g, index=index),
        formula="x̄ = g[index]", source="the transpose of getitem", law=scattering, traits={HOLOMORPHIC}),
    general("index_add", index_add, lambda g, z, x, values, index: g,
        lambda g, z, x, values, index: unbroadcast(getitem(g, index=index), np.shape(values)),
        formula="x̄ = g, v̄ = g[index]", source="linear in both: x plus the scattered values",
        law=writing(BASIC + LISTS), traits={HOLOMORPHIC, PIECEWISE_LINEAR, Homogeneous(1, of=(0, 1))}),
    general("index_update", index_update,
        lambda g, z, x, values, index: index_update(g, np.zeros(np.shape(values), g.dtype), index=index),
        lambda g, z, x, values, index: unbroadcast(getitem(g, index=index), np.shape(values)),
        formula="x̄ = g, 0 at index; v̄ = g[index]",
        source="linear in both: what is overwritten has no influence",
        law=writing(BASIC + tuple(call for call in LISTS if names_no_place_twice(*call))),
        traits={HOLOMORPHIC, PIECEWISE_LINEAR, Homogeneous(1, of=(0, 1))}),
    linear("take", np.take, lambda g, x, indices, axis=None: put_back(g, x, indices, axis),
        formula="x̄[…, indices] += g, 0 elsewhere", source="linear; the transpose of picking adds back",
        law=taking, traits={HOLOMORPHIC}),
    general("take_along_axis", np.take_along_axis, take_along_axis_vjp, None,
        formula="x̄[indices along axis] += g, 0 elsewhere",
        source="linear in x; the transpose of picking adds back",
        domains=[REAL, index_below(1)], law=taking_along, traits={HOLOMORPHIC, LINEAR}),
    general("masked_fill", masked_fill,
        lambda g, z, x, mask, value: unbroadcast(np.where(mask, 0, g), np.shape(x)), None,
        formula="x̄ = 0 where the mask is true, else g", source="what is filled has no influence",
        domains=[REAL, BOOLEAN], law=MASKING, traits={HOLOMORPHIC, PIECEWISE_LINEAR}),
)  # fmt: skip

# -- picking by order ------------------------------------------------------------------------------

ORDER = (
    general("sort", np.sort, sort_vjp,
        formula="x̄[argsort x] = g", source="a permutation near x; its transpose is its inverse",
        domains=[DISTINCT], law=laws.along_one_axis(),
        traits={PIECEWISE_LINEAR, Homogeneous(1), Shift(1), ORDER_INVARIANT}),
)  # fmt: skip

ROWS: tuple[Op, ...] = PLACES + ORDER
