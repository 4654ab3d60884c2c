"""Laws of the ops that arrange, copy and leave out entries: reshaping, axes, repetition, margins, diagonals."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable

from conformance.op import Choose, Shape, Signature
from conformance.ops import laws

# Ranks of four and more, with an axis of one entry first or within; one of one entry last, and one entry alone.
RANKS: tuple[Shape, ...] = ((2, 1, 3, 2), (1, 2, 1, 3, 2), (2, 1, 2, 3, 1, 2), (3, 2, 1), (1, 1))
SIZES: tuple[Shape, ...] = ((9,), (2, 17), (33,), (64, 2), (129,), (1025,), (7, 2, 3), (2, 6, 3))
# Shapes of one axis and more.
AXES: tuple[Shape, ...] = (
    (2, 3),
    (3, 3),
    (2, 1, 3),
    (3, 3, 3),
    (3,),
    (2, 0),
    (0, 3),
    *RANKS,
    (2, 33),
    (64, 3),
    (7, 2, 3),
    (2, 18, 3),
)
# Shapes for what copies or surrounds entries.
GROWING: tuple[Shape, ...] = (
    (3,),
    (2, 3),
    (3, 3),
    (2, 1, 3),
    (3, 3, 3),
    (2, 0),
    (0, 3),
    *RANKS,
    (33,),
    (2, 64),
    (7, 2, 3),
    (2, 6, 3),
    (66, 2),
)


def reshaping(choose: Choose) -> Signature:
    """A shape and another of as many entries, -1 standing for one of its sizes."""
    shape = choose(((3,), (), (2, 3), (3, 3), (1,), (2, 1, 3), (3, 3, 3), (2, 0), (0, 3), *RANKS, *SIZES))
    size = math.prod(shape)
    known = [(*shape, 1), (size,), shape[::-1], (1, *shape), (1, size, 1, 1), *[()][: size == 1]]
    unknown = [(-1,), (1, 1, -1, 1), (-1, 2) if size % 2 == 0 else (-1, 1)] if size else [(0, 5), (2, 0, 1)]
    return Signature((shape,), {"shape": choose([*dict.fromkeys((*known, *unknown))])})


def permutation(choose: Choose) -> Signature:
    """A shape and an order of its axes, counted from either end; the cyclic ones are not their own inverse."""
    shape = choose((*AXES, ()))
    ndim = len(shape)
    axes = tuple(range(ndim))
    some = (axes[1:] + axes[:1], axes[2:] + axes[:2], (*axes[:1], *axes[:0:-1]), (1, 0, *axes[2:]))
    orders = tuple(itertools.permutations(axes)) if ndim < 4 else some
    mixed = [(-1, *range(ndim - 1))] if ndim > 1 else []
    forms = [*orders, *(tuple(a - ndim for a in order) for order in orders), *mixed]
    return Signature((shape,), {"axes": choose([None, *dict.fromkeys(forms)])})


def new_axes(choose: Choose) -> Signature:
    """A shape and where its new axes go."""
    shape = choose(laws.SHAPES)
    last = len(shape)
    forms = (0, -1, last, -1 - last, last // 2, (0, -1), (1, 0), (0, last + 2, 1), (-1, -2), ())
    return Signature((shape,), {"axis": choose([*dict.fromkeys(forms)])})


def squeezing(choose: Choose) -> Signature:
    """A shape, and of its axes of size 1 all, one by either sign, several, or none."""
    ones = ((1,), (2, 1, 3), (1, 3, 1), (1, 1), (1, 0), (2, 1, 3, 1), (1, 2, 1, 3, 1), (1, 2, 1, 1, 3, 1))
    shape = choose((*ones, (2, 3), (), (1, 33), (129, 1)))
    axes = [axis for axis, size in enumerate(shape) if size == 1]
    singles = [form for axis in axes for form in (axis, axis - len(shape), (axis,))]
    several = [tuple(axes), tuple(axes[::-1]), (axes[-1], axes[0] - len(shape))] if len(axes) > 1 else []
    return Signature((shape,), {"axis": choose([None, *singles, *dict.fromkeys(several), ()])})


def broadcasting(choose: Choose) -> Signature:
    """A shape, and the one that it becomes: longer where it has size 1, with axes more, with none, or the same.

    A shape twice over is one that the operand's fits at both ends, of which only the last counts.
    """
    shape = choose(
        ((3,), (), (1,), (3, 1), (1, 3), (2, 1, 3), (1, 0), (1, 2, 1, 3), (1, 2, 1, 2, 1), (1, 33), (1, 1))
    )
    longer = tuple(2 if n == 1 else n for n in shape)
    targets = (
        (2, *shape),
        shape,
        longer,
        (2, 1, *longer),
        (0, *shape),
        tuple(0 if n == 1 else n for n in shape),
    )
    beyond = (*shape[:-1], 129) if shape[-1:] == (1,) else (64, *shape)
    twice = (shape * 2,) if len(shape) < 3 else ()
    return Signature((shape,), {"shape": choose([*dict.fromkeys((*targets, *twice, beyond))])})


def turning(choose: Choose) -> Signature:
    """A shape, a plane of it, and how many quarters of a turn, of either sign."""
    shape = choose(tuple(s for s in AXES if len(s) > 1))
    last = len(shape) - 1
    planes = dict.fromkeys(((0, 1), (1, 0), (-1, 0), (last, last - 1), (-2, -1)))
    return Signature((shape,), {"k": choose((1, -1, 2, 3, 0, 5, -2)), "axes": choose([*planes])})


def halving(choose: Choose) -> Signature:
    """A shape, of even and odd sizes, and axes in every form."""
    shape = choose((*AXES, (4,), (1,), (4, 5)))
    return Signature((shape,), {"axes": choose(laws.axis_forms(shape))})


def rolling(choose: Choose) -> Signature:
    """A shape, an axis, several or none, and shifts of either sign, some longer than the axis."""
    shape = choose(((3,), (), (2, 3), (3, 3), (3, 3, 3), (2, 0), (0, 3), *RANKS, *SIZES))
    ndim = len(shape)
    several = [(0, 1), (1, 0), (-1, 0), (0, 0)] if ndim > 1 else []
    axis = choose([None, *range(ndim), *range(-ndim, 0), *[(0,)][:ndim], *several])
    if not isinstance(axis, tuple):
        return Signature((shape,), {"shift": choose((1, -2, 0, 7, -1030)), "axis": axis})
    return Signature((shape,), {"shift": choose(((1, -1), (0, 4), (-7, 2)))[: len(axis)], "axis": axis})


def moving(choose: Choose) -> Signature:
    """A shape, axes by either sign, and where they go."""
    shape = choose(AXES)
    ndim = len(shape)
    some = ((0, ndim - 1), (ndim - 1, 1), (2, 0), (1, 1))
    pairs = some if ndim > 3 else itertools.product(range(ndim), repeat=2)
    signed = [form for i, j in pairs for form in ((i, j), (i - ndim, j), (i, j - ndim))]
    several = [((0, 1), (-1, 0)), ((1, 0), (0, -1)), ((-1, -2), (0, 1))] if ndim > 1 else []
    longer = [((0, 1, 2), (2, 0, 1)), ((2, 0), (0, 1))] if ndim > 2 else []
    here, there = choose([*signed, *several, *longer, ((), ())])
    return Signature((shape,), {"source": here, "destination": there})


def swapping(choose: Choose) -> Signature:
    """A shape, and two of its axes by either sign, or one twice."""
    shape = choose(AXES)
    ndim = len(shape)
    some = ((0, ndim - 1), (1, 2), (3, 1), (2, 2))
    pairs = some if ndim > 3 else itertools.product(range(ndim), repeat=2)
    i, j = choose([form for i, j in pairs for form in ((i, j), (i - ndim, j), (i - ndim, j - ndim))])
    return Signature((shape,), {"axis1": i, "axis2": j})


def tiling(choose: Choose) -> Signature:
    """A shape and how often it is repeated along fewer axes than it has, as many, or more."""
    shape = choose((*GROWING, ()))
    ndim = len(shape)
    own = (
        [(2, 1, 3, 1, 2, 1)[:ndim], (3, 1)[: ndim - 1], (1,) * ndim, (0, 2, 1, 1, 1, 1)[:ndim]]
        if ndim
        else []
    )
    more = [(2, *(1,) * ndim), (2, 1, *(3,) * ndim)[: max(4, ndim + 1)]]
    return Signature((shape,), {"reps": choose([2, 1, 0, 3, *dict.fromkeys((*own, *more))])})


def repeating(choose: Choose) -> Signature:
    """A shape, an axis or none, and one count for all places or one for each; counts of 0 too."""
    shape = choose((*GROWING, (), (1, 3)))
    axis = choose([None, *range(len(shape)), *range(-len(shape), 0)])
    size = math.prod(shape) if axis is None else shape[axis]
    each = [[(2, 0, 1, 3)[k % 4] for k in range(size)], [1] * size, [0] * size] if 0 < size < 40 else []
    return Signature((shape,), {"repeats": choose([2, 1, 0, 3, *each]), "axis": axis})


def padding(choose: Choose) -> Signature:
    """A shape, and margins: one width for all, two for every axis, or of each axis its own."""
    shape = choose((*GROWING, (0,)))
    own = ((1, 2), (0, 0), (2, 0), (0, 1), (1, 0), (0, 0))
    width = choose(
        (own[: len(shape)], own[::-1][: len(shape)], ((0, 0),) * len(shape), ((1, 2),), ((2, 1),), 1, 0, 2)
    )
    return Signature((shape,), {"pad_width": width, "constant_values": choose((0.0, 1.3, -2))})


MIRRORED: tuple[Shape, ...] = (
    *((1, 3), (2, 3), (3, 3), (1, 2, 3), (2, 3, 4), (1, 1, 3, 4), (1, 2, 3, 3), (1, 1, 2, 3, 4), (3,), (2, 33), (1, 17, 2), (2, 3, 1)),
)  # fmt: skip
# Margins before and after an axis of n entries, shorter than it; then, in each mode, the longest that copy an entry
# once on either side, and longer ones.
Margins = Callable[[int], tuple[int, int]]


def at_most(before: int, after: int) -> Margins:
    """Margins of so many entries, or of all but one where the axis has fewer."""
    return lambda n: (min(before, n - 1), min(after, n - 1))


SHORTER: tuple[Margins, ...] = (at_most(1, 2), at_most(1, 1), at_most(2, 0), at_most(0, 1))
LONGER: dict[str, tuple[Margins, ...]] = {
    "reflect": (lambda n: (n - 1, n - 1), lambda n: (n, n + 2)),
    "edge": (lambda n: (n + 1, n),),
    "wrap": (lambda n: (n, n), lambda n: (n + 1, 2 * n)),
    "symmetric": (lambda n: (n, n - 1), lambda n: (2 * n, n + 1)),
}


def mirroring(choose: Choose) -> Signature:
    """An operand, a way to continue it, and margins along some or all of its axes, of one shape longer than the axis too."""
    shape = choose(MIRRORED)
    few = [axis for axis in range(len(shape)) if axis >= max(1, len(shape) - 2)] or [0]
    padded = choose((few, [len(shape) - 1], list(range(len(shape)))))
    mode = choose(("reflect", "edge", "wrap", "symmetric"))
    margins = choose(SHORTER + LONGER[mode] if shape == (1, 2, 3) and padded == few else SHORTER)
    width = tuple(margins(n) if axis in padded else (0, 0) for axis, n in enumerate(shape))
    return Signature((shape,), {"pad_width": width, "mode": mode})


def diagonals(choose: Choose) -> Signature:
    """A shape, two of its axes by either sign and in either order, and an offset, beyond the matrix too."""
    shape = choose(
        ((3, 3), (2, 3), (3, 2), (3, 2, 3), (3, 3, 3), *RANKS, (0, 3), (1, 3), (8, 9), (33, 2), (2, 64))
    )
    pairs = [(0, 1), (1, 0), (-2, -1), (-1, 0), *[(-1, -2), (0, 2), (2, 1)][: 3 * (len(shape) > 2)]]
    i, j = choose(pairs)
    return Signature((shape,), {"offset": choose((0, 1, -1, 2, -2, 5)), "axis1": i, "axis2": j})


OFFSETS = (0, 1, -1, 2, -2, 5, -5)
TRIANGLES = laws.with_parameters(laws.shapes_of(*((s,) for s in laws.MATRICES)), k=OFFSETS)
VECTORS: tuple[Shape, ...] = ((3,), (1,), (7,), (17,))
DIAG = laws.with_parameters(
    laws.shapes_of(
        *((s,) for s in (*VECTORS, (3, 3), (2, 3), (3, 2), (1, 3), (3, 1), (1, 1), (8, 9), (2, 33)))
    ),
    k=(0, 1, -1, 2, -2),
)
FLIPPING = laws.one_of(*((s, {"axis": a}) for s in laws.SHAPES for a in laws.axis_forms(s)))
