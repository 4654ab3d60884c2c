"""Reductions of the values that an index sends to the same place, and of what stands there already.

Seen from a place it is a reduction of a row: the entry that stands there, and all values beside it, those that are sent
elsewhere replaced by the reduction's neutral element.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from conformance.op import DISTINCT, REAL, Choose, Op, Shape, Signature, index_below
from conformance.ops.dispatch import dispatched
from conformance.ops.indexing import getitem, index_update, scatter_add
from conformance.ops.laws.arrangements import RANKS
from conformance.ops.reductions import products_of_others, routed
from conformance.ops.rows import general
from conformance.ops.traits import HOLOMORPHIC, LINEAR

NEUTRAL = {"sum": 0.0, "mean": 0.0, "prod": 1.0, "amax": -math.inf, "amin": math.inf}

REDUCTIONS: dict[str, Callable[..., Any]] = {"sum": np.sum, "prod": np.prod, "amax": np.max, "amin": np.min}

# -- the rows ----------------------------------------------------------------------------------------


def counted_entries(x: Any, index: Any, axis: int, include_self: bool) -> Any:
    """Which entry of its row each place counts, (…, n, 1 + K): its own first, then the values along the axis.

    Where the own entry is not included, it stays at places that nothing is sent to.
    """
    places = np.moveaxis(index, source=axis, destination=-1)[..., None, :]
    is_sent = places == np.arange(np.shape(x)[axis])[:, None]
    is_own = np.ones((*is_sent.shape[:-1], 1), bool)
    if not include_self:
        is_own = ~np.any(is_sent, axis=-1, keepdims=True)
    return np.concatenate([is_own, is_sent], axis=-1)


def reached_by(index: Any, axis: int) -> tuple[slice, ...]:
    """The part of an operand that an index reaches: all along the axis, and on others as far as the index goes."""
    place = axis % np.ndim(index)
    return tuple(slice(None) if a == place else slice(n) for a, n in enumerate(np.shape(index)))


def within(index: Any) -> tuple[slice, ...]:
    """The values that an index sends: as many as it has entries on each axis."""
    return tuple(map(slice, np.shape(index)))


def candidates(x: Any, values: Any, is_counted: Any, axis: int, reduce: str) -> Any:
    """The rows, what is not counted replaced by the neutral element."""
    own = np.expand_dims(np.moveaxis(x, source=axis, destination=-1), axis=-1)
    sent = np.expand_dims(np.moveaxis(values, source=axis, destination=-1), axis=-2)
    shape = is_counted[..., 1:].shape
    rows = np.concatenate([own, np.broadcast_to(sent, shape=shape)], axis=-1)
    return np.where(is_counted, rows, np.asarray(NEUTRAL[reduce], x.dtype))


@dispatched
def scatter_reduce(x: Any, index: Any, values: Any, *, axis: int, reduce: str, include_self: bool) -> Any:
    """`x` with each value reduced into the place along an axis that its index names."""
    if np.max(index, initial=-1) >= np.shape(x)[axis]:
        raise IndexError("an index is out of range")
    reached, sent = reached_by(index, axis), within(index)
    is_counted = counted_entries(x[reached], index, axis, include_self)
    rows = candidates(x[reached], values[sent], is_counted, axis, reduce)
    if reduce == "mean":
        reduced = np.sum(rows, axis=-1) / np.sum(is_counted, axis=-1).astype(x.dtype)
    else:
        reduced = REDUCTIONS[reduce](rows, axis=-1)
    whole = x.astype(np.result_type(x, reduced), copy=False)
    return index_update(whole, np.moveaxis(reduced, -1, axis), index=reached)


def scattered_slopes(
    g: Any, z: Any, x: Any, index: Any, values: Any, axis: int, reduce: str, include_self: bool
) -> Any:
    """The cotangent of each entry of each place's row, by the rule of the reduction."""
    is_counted = counted_entries(x, index, axis, include_self)
    cotangent = np.moveaxis(g, source=axis, destination=-1)
    if reduce in ("amax", "amin"):
        rows = candidates(x, values, is_counted, axis, reduce)
        routes = routed(cotangent, np.moveaxis(z, source=axis, destination=-1), rows, -1)
        return np.where(is_counted, routes, 0)
    column = np.expand_dims(cotangent, axis=-1)
    if reduce == "prod":
        column = column * products_of_others(candidates(x, values, is_counted, axis, reduce))
    if reduce == "mean":
        column = column / np.sum(is_counted, axis=-1, keepdims=True).astype(x.dtype)
    return np.where(is_counted, column, 0)


def scatter_reduce_own(g: Any, z: Any, x: Any, index: Any, values: Any, axis: int, **parameters: Any) -> Any:
    """The cotangents of the entries that stood there; g where the index does not reach."""
    reached = reached_by(index, axis)
    g_part, z_part, x_part = (getitem(a, index=reached) for a in (g, z, x))
    slopes = scattered_slopes(
        g_part, z_part, x_part, index, getitem(values, index=within(index)), axis, **parameters
    )
    own = np.moveaxis(slopes[..., 0], source=-1, destination=axis)
    beyond = index_update(g, np.zeros(np.shape(own), g.dtype), index=reached)
    return beyond + scatter_add(own, index=reached, shape=np.shape(x))


def scatter_reduce_sent(g: Any, z: Any, x: Any, index: Any, values: Any, axis: int, **parameters: Any) -> Any:
    """The cotangents of the values, each at the place that it is sent to; 0 of those that the index does not send."""
    reached, sent = reached_by(index, axis), within(index)
    g_part, z_part, x_part = (getitem(a, index=reached) for a in (g, z, x))
    slopes = scattered_slopes(g_part, z_part, x_part, index, getitem(values, index=sent), axis, **parameters)
    each = np.moveaxis(np.sum(slopes[..., 1:], axis=-2), source=-1, destination=axis)
    return scatter_add(each, index=sent, shape=np.shape(values))


# -- gathered by a part of the places ------------------------------------------------------------------


def gathered_places(indices: Any, axis: int) -> tuple[Any, ...]:
    """The whole index that `gather` abbreviates: on every other axis each place itself, as far as the indices go."""
    ndim = np.ndim(indices)
    return tuple(
        indices if a == axis % ndim else np.reshape(np.arange(n), shape=(-1,) + (1,) * (ndim - a - 1))
        for a, n in enumerate(np.shape(indices))
    )


@dispatched
def gather(x: Any, indices: Any, *, axis: int) -> Any:
    """The entries that the indices name along an axis; on other axes these may be fewer than the entries."""
    return x[gathered_places(indices, axis)]


def gather_vjp(g: Any, z: Any, x: Any, indices: Any, axis: int) -> Any:
    """The cotangents added back at the places they were taken from."""
    return scatter_add(g, index=gathered_places(indices, axis), shape=np.shape(x))


def gathering(choose: Choose) -> Signature:
    """One operand, indices that may repeat, as many as its entries on each other axis or fewer, and the axis they point along."""
    shape = choose(((2, 3), (3, 3), (3,), (3, 3, 3), (0, 3), *RANKS, (33,), (2, 64), (129, 2)))
    axis = choose([a for a in range(-len(shape), len(shape)) if shape[a]])
    count, place = choose((shape[axis], 1, 2, 4, 0, 17)), axis % len(shape)
    fewer = (tuple(max(n - 1, min(n, 1)) for n in shape), (1,) * len(shape), (0,) * len(shape))
    others = choose([s for s in dict.fromkeys((shape, *fewer)) if all(map(int.__le__, s, shape))])
    indices = (*others[:place], count, *others[place + 1 :])
    return Signature((shape, indices), {"axis": axis}, domains=(REAL, index_below(shape[axis])))


# -- the law and the row -----------------------------------------------------------------------------

# An operand, an axis of it, and how many values are sent along it.
CALLS: tuple[tuple[Shape, int, int], ...] = (
    *(((3,), 0, 4), ((2, 3), -1, 2), ((3, 3), 0, 3), ((3, 3), 1, 3), ((1,), 0, 3), ((3,), -1, 1), ((2, 3), -2, 0)),
    *(((2, 3, 2), 1, 4), ((0, 3), 1, 2), ((2, 1, 3, 2), 2, 2), ((5,), 0, 9), ((2, 17), 1, 3), ((3,), 0, 33), ((1, 1), 0, 2)),
)  # fmt: skip


def reducing(choose: Choose) -> Signature:
    """An operand, indices along one of its axes, on others as many or fewer, as many values or more, the reduction, and whether what stands there counts."""
    shape, axis, count = choose(CALLS)
    place = axis % len(shape)
    fewer = tuple(max(n - 1, min(n, 1)) for n in shape)
    reached = choose((shape, fewer) if fewer != shape and len(shape) > 1 else (shape,))
    index = (*reached[:place], count, *reached[place + 1 :])
    sent = choose((index, tuple(n + 1 for n in index)))
    parameters = {"axis": axis, "reduce": choose(tuple(NEUTRAL)), "include_self": choose((True, False))}
    domain = DISTINCT if parameters["reduce"] in ("amax", "amin") else REAL
    return Signature((shape, index, sent), parameters, domains=(domain, index_below(shape[axis]), domain))


ROWS: tuple[Op, ...] = (
    general("scatter_reduce", scatter_reduce, scatter_reduce_own, None, scatter_reduce_sent,
        formula="the rule of the reduction on x[p] and the vₖ with indexₖ = p, for each place p",
        source="a place is a reduction of what is sent to it; ties share equally",
        domains=[REAL, index_below(1), REAL], law=reducing),
    general("gather", gather, gather_vjp, None,
        formula="x̄[indices along axis] += g, 0 elsewhere", source="linear in x; the transpose of picking adds back",
        domains=[REAL, index_below(1)], law=gathering, traits={HOLOMORPHIC, LINEAR}),
)  # fmt: skip
