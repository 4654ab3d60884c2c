"""Ops that join arrays or part them: the rule of each is the other."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from conformance.op import Choose, Op, Shape, Signature
from conformance.ops import laws
from conformance.ops.dispatch import dispatched
from conformance.ops.indexing import along, getitem
from conformance.ops.rows import linear, variadic
from conformance.ops.shape import the_same
from conformance.ops.traits import HOLOMORPHIC, PIECEWISE_LINEAR, SEVERAL_OUTPUTS, exactly_undone_by

# -- references that take their operands one by one, or return tuples ------------------------------


@dispatched
def concat(*arrays: Any, axis: int | None = 0) -> Any:
    """The operands one after the other along `axis`, flattened first where it is None."""
    return np.concatenate(arrays, axis=axis)


@dispatched
def stack(*arrays: Any, axis: int = 0) -> Any:
    """The operands side by side along a new axis."""
    return np.stack(arrays, axis=axis)


@dispatched
def split(x: Any, *, indices_or_sections: int | list[int], axis: int = 0) -> tuple[Any, ...]:
    """Consecutive parts of `x`: so many of equal size, or split at the given places."""
    return tuple(np.split(x, indices_or_sections, axis=axis))


@dispatched
def block_diag(*matrices: Any) -> Any:
    """The matrices one below and right of the other, zeros beside them."""
    result = np.zeros(np.sum([np.shape(m) for m in matrices], axis=0), np.result_type(*matrices))
    for matrix, here in zip(matrices, blocks_of(matrices), strict=True):
        result[here] = matrix
    return result


def blocks_of(matrices: Any) -> list[tuple[slice, slice]]:
    """Where each matrix stands."""
    ends = np.cumsum([np.shape(m) for m in matrices], axis=0).tolist()
    return [
        (slice(i - m, i), slice(j - n, j))
        for (i, j), (m, n) in zip(ends, map(np.shape, matrices), strict=True)
    ]


# -- what undoes a call ----------------------------------------------------------------------------


def where_joined(shapes: Any, axis: int | None) -> Mapping[str, Any] | None:
    """A split between the operands; of operands that were flattened the shapes are lost."""
    if axis is None:
        return None
    ends = np.cumsum([shape[axis] for shape in shapes])[:-1]
    return {"indices_or_sections": [int(end) for end in ends], "axis": axis}


# -- transposes ------------------------------------------------------------------------------------


def concat_vjp(index: int, g: Any, z: Any, *arrays: Any, axis: int | None = 0) -> Any:
    """The part of `g` that operand `index` became."""
    sizes = [np.size(a) if axis is None else np.shape(a)[axis] for a in arrays]
    start = sum(sizes[:index])
    here = slice(start, start + sizes[index])
    part = getitem(g, index=(here,) if axis is None else along(axis, np.ndim(g), here))
    return np.reshape(part, shape=np.shape(arrays[index]))


def stack_vjp(index: int, g: Any, z: Any, *arrays: Any, axis: int = 0) -> Any:
    """The slice of `g` that operand `index` became."""
    return getitem(g, index=along(axis, np.ndim(g), index))


def block_diag_vjp(index: int, g: Any, z: Any, *matrices: Any) -> Any:
    """The block of `g` that operand `index` became."""
    return getitem(g, index=blocks_of(matrices)[index])


# -- laws ------------------------------------------------------------------------------------------


ARITIES = (2, 1, 3, 4, 7, 12)  # as many as have names of two digits
RANKS = ((2, 1, 3, 2), (1, 2, 1, 3, 2), (1, 2, 1, 1, 3, 2), (3, 2, 1), (1, 1))
FLATTENED: tuple[Shape, ...] = ((2, 3), (3,), (), (1, 2), (0,), (2, 1), (5,))  # joined without an axis


def concatenating(choose: Choose) -> Signature:
    """Any number of operands that agree but for the axis along which they are joined; any shapes where it is None."""
    shape = choose(((3,), (2, 3), (3, 3), (3, 3, 3), (0, 3), *RANKS))
    axis = choose([*range(len(shape)), *range(-len(shape), 0), None])
    count = choose(ARITIES)
    if axis is None:
        return Signature((shape, *FLATTENED, *FLATTENED)[:count], {"axis": None})
    sizes = choose(((3,) * 7, (1, 3, 2, 1, 5, 2, 1), (2, 0, 17, 1, 33, 0, 64)))
    place = axis % len(shape)
    shapes = tuple((*shape[:place], n, *shape[place + 1 :]) for n in (sizes * 2)[:count])
    return Signature(shapes, {"axis": axis})


def stacking(choose: Choose) -> Signature:
    """So many operands of one shape, and where the new axis goes."""
    shape = choose(
        ((3,), (), (2, 3), (3, 3), (1,), (0,), (2, 0), (2, 1, 3), *RANKS[:2], (1, 1), (33,), (2, 64))
    )
    axis = choose([*range(len(shape) + 1), *range(-len(shape) - 1, 0)])
    return Signature((shape,) * choose(ARITIES), {"axis": axis})


def splitting(choose: Choose) -> Signature:
    """One operand, an axis of either sign, and a number of equal parts or the places to split at.

    Places may count from the end, lie beyond it, and leave a part empty.
    """
    sizes = ((4,), (9,), (33,), (2, 64), (129,))
    shape = choose(((3,), (2, 3), (3, 3), (3, 3, 3), (2, 0), (0, 3), *RANKS, *sizes))
    axis = choose([*range(len(shape)), *range(-len(shape), 0)])
    n = shape[axis]
    equal = [parts for parts in (3, 2, 1) if n % parts == 0]
    inside = [[1], [n], [-1], [n // 2, n // 2], [n // 3, n - 1], [n - 1, n + 2]] if n else []
    return Signature((shape,), {"indices_or_sections": choose([*equal, [], [0], *inside]), "axis": axis})


BLOCKS: tuple[Shape, ...] = ((2, 3), (1, 1), (3, 2), (1, 3), (3, 3), (2, 1), (1, 17), (0, 3), (2, 0))


def placing(choose: Choose) -> Signature:
    """So many matrices, from any of these on, or all of one shape."""
    count, first = choose((2, 1, 3, 7)), choose(range(len(BLOCKS)))
    several = (BLOCKS[first],) * count if choose((False, True)) else (*BLOCKS[first:], *BLOCKS[:first])
    return Signature(several[:count])


UNSTACKING = laws.along_one_axis((*(s for s in laws.up_to(27) if s and 0 not in s), (17,), (2, 9)))


# -- rows ------------------------------------------------------------------------------------------

ROWS: tuple[Op, ...] = (
    variadic("concat", concat, concat_vjp,
        formula="x̄ᵢ = the part of g that xᵢ became", source="linear; each operand takes back its part",
        law=concatenating, aliases=("concatenate", "cat"),
        traits={HOLOMORPHIC, PIECEWISE_LINEAR, exactly_undone_by("split", where_joined)}),
    variadic("stack", stack, stack_vjp,
        formula="x̄ᵢ = gᵢ along the new axis", source="linear; each operand takes back its slice",
        law=stacking, traits={HOLOMORPHIC, PIECEWISE_LINEAR, exactly_undone_by("unstack", the_same)}),
    variadic("block_diag", block_diag, block_diag_vjp,
        formula="x̄ᵢ = the block of g that xᵢ became", source="linear; each operand takes back its block",
        law=placing, traits={HOLOMORPHIC, PIECEWISE_LINEAR}),
    linear("split", split, lambda g, x, indices_or_sections, axis=0: concat(*g, axis=axis),
        formula="x̄ = concat(g₀, g₁, …)", source="linear; the inverse of concat",
        law=splitting,
        traits={SEVERAL_OUTPUTS, HOLOMORPHIC, exactly_undone_by("concat", lambda shapes, indices_or_sections, axis: {"axis": axis})}),
    linear("unstack", np.unstack, lambda g, x, axis=0: stack(*g, axis=axis),
        formula="x̄ = stack(g₀, g₁, …)", source="linear; the inverse of stack",
        law=UNSTACKING,
        traits={SEVERAL_OUTPUTS, HOLOMORPHIC, exactly_undone_by("stack", the_same)}, aliases=("unbind",)),
)  # fmt: skip
