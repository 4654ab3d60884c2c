"""Entries that a mask or a list of places replaces: by the next of some values, or by a number."""

from __future__ import annotations

from typing import Any

import numpy as np

from conformance.op import BOOLEAN, REAL, Choose, Op, Signature
from conformance.ops import laws
from conformance.ops.dispatch import dispatched
from conformance.ops.indexing import along, scatter_add
from conformance.ops.laws.arrangements import RANKS
from conformance.ops.rows import general
from conformance.ops.traits import HOLOMORPHIC, PIECEWISE_LINEAR, Homogeneous

# -- by the next of some values ----------------------------------------------------------------------


def which(mask: Any) -> Any:
    """The number of the value that each entry would receive: that of the true entries before it."""
    is_true = np.asarray(mask, dtype=bool)
    return np.reshape(np.cumsum(is_true), is_true.shape) - is_true


@dispatched
def masked_scatter(x: Any, mask: Any, values: Any) -> Any:
    """`x` with the values, one after the other, where the mask is true; there may be more of them."""
    return np.where(mask, values[np.minimum(which(mask), max(len(values) - 1, 0))], x)


def scattered_from(g: Any, z: Any, x: Any, mask: Any, values: Any) -> Any:
    """Each value's cotangent is that of the entry that received it."""
    count = np.shape(values)[0]
    places = np.minimum(which(mask), max(count - 1, 0))
    return scatter_add(np.where(mask, g, 0), index=(places,), shape=(count,))


# -- by a number -------------------------------------------------------------------------------------


@dispatched
def index_fill(x: Any, *, indices: list[int], axis: int, value: float) -> Any:
    """`x` with the number in the slices that the indices name along an axis."""
    result = np.array(x)
    result[along(axis, np.ndim(x), np.asarray(indices, dtype=np.intp))] = value
    return result


def index_fill_vjp(g: Any, z: Any, x: Any, indices: list[int], axis: int, value: float) -> Any:
    """What is filled has no influence."""
    return index_fill(g, indices=indices, axis=axis, value=0.0)


# -- laws and rows -----------------------------------------------------------------------------------

MASKED = laws.shapes_of(
    *(
        (shape, shape, (int(np.prod(shape)) + more,))
        for shape in ((3,), (2, 3), (3, 3), (1,), (2, 1, 3), (3, 3, 3), *RANKS, (33,), (2, 65), (7, 2, 3), (66, 2))
        for more in (0, 2)
    )
)  # fmt: skip


def filling(choose: Choose) -> Signature:
    """One operand, an axis, places along it, which may repeat or count from the end, and the number."""
    shape = choose(((3,), (2, 3), (3, 3), (3, 3, 3), (1,), *RANKS, (33,), (2, 64), (129, 2)))
    axis = choose([*range(len(shape)), *range(-len(shape), 0)])
    last = shape[axis] - 1
    indices = choose(([0], [last, 0], [], [-1], [last, last, 0, -1], [*range(last + 1)]))
    return Signature((shape,), {"indices": indices, "axis": axis, "value": choose((0.0, 1.3, -2.0))})


ROWS: tuple[Op, ...] = (
    # Selected, not multiplied by 0: an infinite cotangent leaks no NaN.
    general("masked_scatter", masked_scatter, lambda g, z, x, mask, values: np.where(mask, 0, g), None, scattered_from,
        formula="x̄ = 0 where the mask is true, else g; v̄ₖ = g at the k-th true entry, else 0",
        source="linear in both: copies", domains=[REAL, BOOLEAN, REAL], law=MASKED,
        traits={HOLOMORPHIC, PIECEWISE_LINEAR, Homogeneous(1, of=(0, 2))}),
    general("index_fill", index_fill, index_fill_vjp,
        formula="x̄ = g, 0 in the slices that are filled", source="what is filled has no influence",
        law=filling, traits={HOLOMORPHIC, PIECEWISE_LINEAR}),
)  # fmt: skip
