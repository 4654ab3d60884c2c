"""Sequences of numbers: steps between two ends, differences between two others, matrices that are constant along diagonals."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from conformance.op import Choose, Op, Signature
from conformance.ops import laws
from conformance.ops.dispatch import dispatched
from conformance.ops.indexing import getitem, scatter_add
from conformance.ops.rows import general, unbroadcast
from conformance.ops.signals.curves import with_zero
from conformance.ops.traits import HOLOMORPHIC, PIECEWISE_LINEAR, Homogeneous, Shift

# -- steps -------------------------------------------------------------------------------------------


def shares(whole: tuple[int, ...], num: int, endpoint: bool, axis: int, dtype: Any) -> Any:
    """How much of the stop each step has, from 0 on, along the new axis."""
    steps = np.arange(num) / max(num - 1 if endpoint else num, 1)
    ndim = len(whole) + 1
    return np.reshape(steps.astype(dtype), tuple(num if a == axis % ndim else 1 for a in range(ndim)))


@dispatched
def linspace(start: Any, stop: Any, *, num: int, endpoint: bool, axis: int) -> Any:
    """So many steps from the start to the stop, which is the last one or would be the next."""
    whole = np.broadcast_shapes(np.shape(start), np.shape(stop))
    share = shares(whole, num, endpoint, axis, start.dtype)
    first, last = (np.expand_dims(np.broadcast_to(x, shape=whole), axis=axis) for x in (start, stop))
    return first * (1 - share) + last * share


def linspace_vjp(share_of: Callable[[Any], Any]) -> Callable[..., Any]:
    """Σ g times the share of the operand."""

    def vjp(g: Any, z: Any, *ends: Any, num: int, endpoint: bool, axis: int) -> Any:
        whole = np.broadcast_shapes(*map(np.shape, ends))
        each = g * share_of(shares(whole, num, endpoint, axis, g.dtype))
        return unbroadcast(np.sum(each, axis=axis), np.shape(ends[share_of is share_of_stop]))

    return vjp


def share_of_start(share: Any) -> Any:
    """What is not the stop's."""
    return 1 - share


def share_of_stop(share: Any) -> Any:
    """The share itself."""
    return share


# -- differences -------------------------------------------------------------------------------------


def as_sequence(x: Any) -> Any:
    """All entries, one behind the other."""
    return np.reshape(x, shape=(-1,))


@dispatched
def ediff1d(x: Any, end: Any, begin: Any) -> Any:
    """The differences of entries that follow each other, `begin` before them and `end` behind."""
    entries = as_sequence(x)
    return np.concatenate([as_sequence(begin), entries[1:] - entries[:-1], as_sequence(end)])


def ediff1d_entries(g: Any, z: Any, x: Any, end: Any, begin: Any) -> Any:
    """gᵢ₋₁ − gᵢ of the differences that have an entry."""
    inner = getitem(g, index=(slice(np.size(begin), np.shape(g)[0] - np.size(end)),))
    return np.reshape(with_zero(inner, 1) - with_zero(inner, 0), shape=np.shape(x)) if np.size(x) else 0 * x


def ediff1d_end(g: Any, z: Any, x: Any, end: Any, begin: Any) -> Any:
    """The last cotangents."""
    return np.reshape(getitem(g, index=(slice(np.shape(g)[0] - np.size(end), None),)), shape=np.shape(end))


def ediff1d_begin(g: Any, z: Any, x: Any, end: Any, begin: Any) -> Any:
    """The first cotangents."""
    return np.reshape(getitem(g, index=(slice(0, np.size(begin)),)), shape=np.shape(begin))


# -- diagonals ---------------------------------------------------------------------------------------


def diagonals(column: Any, row: Any) -> Any:
    """Where each entry of the matrix stands in the column from its end to its beginning and the row behind its first."""
    count, width = np.shape(column)[0], np.shape(row)[0]
    return count - 1 - np.arange(count)[:, None] + np.arange(width)


@dispatched
def toeplitz(column: Any, row: Any) -> Any:
    """The matrix whose diagonals are constant, of its first column and its first row; the row's first entry does not count."""
    entries = np.concatenate([np.flip(column, axis=0), row[1:]])
    return entries[diagonals(column, row)]


def along_diagonals(g: Any, column: Any, row: Any) -> Any:
    """The sums of the cotangent along the diagonals, from the lowest to the highest."""
    count = np.shape(column)[0] + np.shape(row)[0] - 1
    return scatter_add(g, index=(diagonals(column, row),), shape=(count,))


def toeplitz_column(g: Any, z: Any, column: Any, row: Any) -> Any:
    """The sums along the diagonals that begin in the column."""
    sums = along_diagonals(g, column, row)
    return np.flip(getitem(sums, index=(slice(0, np.shape(column)[0]),)), axis=0)


def toeplitz_row(g: Any, z: Any, column: Any, row: Any) -> Any:
    """The sums along those that begin in the row, and 0 of its first entry."""
    sums = along_diagonals(g, column, row)
    return with_zero(getitem(sums, index=(slice(np.shape(column)[0], None),)), 1)


# -- laws and rows -----------------------------------------------------------------------------------


def spanning(choose: Choose) -> Signature:
    """Two ends that broadcast, how many steps, whether the stop is one, and where their axis goes."""
    pair = choose(laws.BROADCAST_PAIRS)
    ndim = len(np.broadcast_shapes(*pair))
    parameters = {
        "num": choose((5, 2, 1, 3, 0, 17)),
        "endpoint": choose((True, False)),
        "axis": choose(tuple(dict.fromkeys((0, -1, ndim // 2, -1 - ndim)))),
    }
    return Signature(pair, parameters)


SURROUNDED = laws.shapes_of(
    *(((4,), (1,), (2,)), ((3,), (3,), (3,)), ((2, 3), (2,), (1,)), ((3, 3), (), ()), ((1,), (2,), (1,)), ((), (1,), (2,))),
    *(((5,), (0,), (2,)), ((5,), (1,), (0,)), ((0,), (2,), (1,)), ((2, 1, 3), (2, 2), (1, 3)), ((7, 2), (), (3,))),
    *(((2, 1, 3, 2), (1,), ()), ((33,), (17,), (1,)), ((129,), (0,), (0,)), ((2, 65), (2,), (9,))),
)  # fmt: skip
MARGINS = laws.shapes_of(
    *(((3,), (2,)), ((2,), (3,)), ((3,), (3,)), ((1,), (1,)), ((1,), (4,)), ((4,), (1,)), ((5,), (7,)), ((7,), (2,))),
    *(((33,), (2,)), ((2,), (33,)), ((17,), (17,)), ((129,), (3,)), ((65,), (9,))),
)  # fmt: skip

ROWS: tuple[Op, ...] = (
    general("linspace", linspace, linspace_vjp(share_of_start), linspace_vjp(share_of_stop),
        formula="x̄ = Σ (1 − tₖ) gₖ, ȳ = Σ tₖ gₖ, t the shares of the stop", source="linear in both ends together",
        law=spanning, traits={HOLOMORPHIC, PIECEWISE_LINEAR, Homogeneous(1, of=(0, 1)), Shift(1, of=(0, 1))}),
    general("ediff1d", ediff1d, ediff1d_entries, ediff1d_end, ediff1d_begin,
        formula="x̄ᵢ = gᵢ₋₁ − gᵢ of the differences, the others' cotangents as they are", source="linear in all operands together",
        law=SURROUNDED, traits={HOLOMORPHIC, PIECEWISE_LINEAR, Homogeneous(1, of=(0, 1, 2))}),
    general("toeplitz", toeplitz, toeplitz_column, toeplitz_row,
        formula="c̄ᵢ, r̄ⱼ = Σ g along their diagonals; r̄₀ = 0", source="linear; the transpose of copying is summing",
        law=MARGINS, traits={HOLOMORPHIC, PIECEWISE_LINEAR, Homogeneous(1, of=(0, 1))}),
)  # fmt: skip
