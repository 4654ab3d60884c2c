"""Laws of shapes: which operands and parameters fit together.

A law takes `choose`, which picks one of some options, the first being the simplest. So the same
law serves random drawing, exhaustive enumeration and the explanation of an op. It makes a
few thousand signatures at most, so that all of them can be listed. Square and cubic shapes stand beside
ragged ones, because a mixed-up axis raises on ragged shapes and is silent on square ones.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from conformance.op import Choose, Domain, Law, Shape, Signature

# Sizes around those of vector registers and blocks, where kernels treat a remainder apart; then one long axis.
BLOCKS: tuple[Shape, ...] = (
    *((7,), (8,), (9,), (15,), (16,), (2, 17), (31,), (32,), (33,), (2, 63), (64, 2), (65,)),
    *((127,), (2, 128), (129,), (1025,)),
    # a long axis that is not the last, of a stack too
    *((7, 2, 3), (66, 2), (2, 6, 3), (67, 2, 2)),
)  # fmt: skip
SHAPES: tuple[Shape, ...] = (
    *((3,), (), (2, 3), (3, 3), (1,), (2, 1, 3), (3, 3, 3), (0,), (2, 0), (5,), (7, 2)),
    *((0, 3), (2, 0, 3), (1, 3), (3, 1), (1, 1)),  # an empty axis at each place, size 1 at each place and at all
    *((2, 1, 3, 2), (1, 2, 1, 3, 2), (2, 1, 2, 3, 1, 2)),
    *BLOCKS,
)  # fmt: skip
# Rows longer than a kernel treats in one piece, along either axis of a matrix.
LONG_ROWS: tuple[Shape, ...] = ((1025, 2), (2, 1025))
MATRICES: tuple[Shape, ...] = (
    *((2, 3), (3, 3), (1, 3), (3, 2, 3), (0, 3), (3, 3, 3), (3, 1), (1, 1), (3, 0), (0, 2, 3), (5, 7)),
    *((2, 1, 3, 2), (1, 2, 1, 3, 2), (2, 1, 2, 1, 3, 2), (8, 9), (17, 2), (2, 33), (7, 2, 3), (66, 2)),
)  # fmt: skip

# Pairs that broadcast, in both directions where the operands of an op differ.
BROADCAST_PAIRS: tuple[tuple[Shape, Shape], ...] = (
    *(((3,), (3,)), ((), (3,)), ((3,), ()), ((), ()), ((2, 3), (2, 3)), ((2, 3), ()), ((), (2, 3))),
    # leading axes missing
    *(((2, 3), (3,)), ((3,), (3, 3)), ((3, 3), (3,)), ((2, 1, 3), (3,)), ((3,), (2, 1, 2, 3)), ((3, 1, 2), (2, 1, 3, 1, 2))),
    # size 1 against more: of one operand, of both at once, over one to four axes
    *(((3, 1), (3, 3)), ((1,), (3,)), ((3,), (1,)), ((1, 1), (3, 1)), ((2, 1), (1, 3))),
    *(((3, 1), (1, 3)), ((2, 1, 3), (2, 1)), ((1, 2, 1), (3, 1, 2)), ((1, 2, 1, 3), (2, 1, 2, 1))),
    *(((1, 1, 1, 1), (2, 3, 2, 2)), ((2, 1, 2, 1, 2, 1), (1, 2, 1, 2, 1, 2)), ((2, 2, 1, 2, 3), (1, 3))),
    # size 1 under leading axes, of size 1 themselves or not
    *(((1,), (1, 3)), ((1, 3), (1,)), ((1,), (2, 1)), ((2, 3), (1,)), ((1,), (2, 3))),
    # empty
    *(((0,), (1,)), ((1,), (0,)), ((0,), ()), ((2, 0), (2, 1)), ((0, 3), (3,)), ((1, 3), (2, 0, 3))),
    # sizes
    *(((5,), (5,)), ((2,), (7, 2)), ((8,), (8,)), ((9,), ()), ((15,), (1,)), ((16,), (16,))),
    *(((2, 17), (17,)), ((31,), (31,)), ((2, 1), (2, 32)), ((), (33,)), ((63,), (63,)), ((64, 3), (64, 1))),
    *(((1, 65), (2, 1)), ((127,), (127,)), ((128,), (1,)), ((129,), (129,)), ((1025,), (1025,)), ((), (1025,))),
    ((2,), (1026, 2)),
    # a column and a vector as long: the result is square, and each is summed along an axis of its own
    *(((3, 1), (3,)), ((3,), (3, 1))),
)  # fmt: skip


def up_to(count: int, shapes: Sequence[Shape] = SHAPES) -> tuple[Shape, ...]:
    """The shapes of at most so many entries, for a rule whose cost grows faster than their number."""
    return tuple(shape for shape in shapes if math.prod(shape) <= count)


def one_array(choose: Choose) -> Signature:
    """One operand of any shape, no parameters."""
    return Signature((choose(SHAPES),))


def broadcast(count: int) -> Law:
    """`count` operands of shapes that broadcast against each other."""

    def law(choose: Choose) -> Signature:
        pair = choose(BROADCAST_PAIRS)
        whole = np.broadcast_shapes(*pair)
        larger = ((2, *whole),) if len(whole) < 4 and np.prod(whole) <= 64 else ()  # than the others together
        others = tuple(dict.fromkeys((*pair, (), (1,) * len(whole), whole, *larger)))
        return Signature((*pair, *(choose(others) for _ in range(count - 2))))

    return law


def within(*regions: tuple[Domain, Domain]) -> Law:
    """Two operands of shapes that broadcast, in one of some regions: which one, the shapes decide."""

    def law(choose: Choose) -> Signature:
        pair = choose(BROADCAST_PAIRS)
        return Signature(pair, domains=regions[BROADCAST_PAIRS.index(pair) % len(regions)])

    return law


def axis_forms(shape: Shape) -> tuple[Any, ...]:
    """The forms an axis can take for `shape`: None, integers of both signs, tuples of either, the empty tuple."""
    ndim = len(shape)
    singles = [*range(ndim), *(-1 - axis for axis in range(ndim)), *[(0,)][:ndim]]
    pairs = [(i, j) for i in range(min(ndim, 3)) for j in range(min(ndim, 3)) if i != j]
    longer = [(-1, 0, 1)] if ndim > 2 else []
    every = [tuple(range(ndim)), tuple(range(-1, -1 - ndim, -1))] if ndim > 2 else []
    mixed = [(-1, 0)] if ndim > 1 else []
    return (None, *singles, *pairs, *mixed, *longer, *every, ())


def reduction(shapes: Sequence[Shape] = (*SHAPES, *LONG_ROWS), *, needs_entries: bool = False) -> Law:
    """One operand, `axis` in every form and `keepdims`.

    `needs_entries` keeps to reductions that see at least one entry (a maximum of nothing is none).
    """

    def law(choose: Choose) -> Signature:
        shape = choose([s for s in shapes if not needs_entries or 0 not in s])
        axis = choose(axis_forms(shape))
        return Signature((shape,), {"axis": axis, "keepdims": choose((False, True))})

    return law


def along_one_axis(shapes: Sequence[Shape] = (*filter(None, SHAPES), *LONG_ROWS)) -> Law:
    """One operand of at least one dimension and one integer `axis` of either sign."""

    def law(choose: Choose) -> Signature:
        shape = choose(shapes)
        axis = choose((-1, *range(len(shape)), *range(-len(shape), -1)))
        return Signature((shape,), {"axis": axis})

    return law


along_one_full_axis = along_one_axis((*(s for s in SHAPES if s and 0 not in s), *LONG_ROWS))


def one_of(*calls: tuple[Shape, dict[str, Any]]) -> Law:
    """One operand; its shape and parameters fit together only as listed."""

    def law(choose: Choose) -> Signature:
        shape, parameters = choose(calls)
        return Signature((shape,), parameters)

    return law


def shapes_of(*calls: tuple[Shape, ...], **options: tuple[Any, ...]) -> Law:
    """Operands whose shapes fit together as listed; every parameter is any of its options."""

    def law(choose: Choose) -> Signature:
        shapes = choose(calls)
        return Signature(shapes, {name: choose(values) for name, values in options.items()})

    return law


def with_parameters(law: Law, **options: tuple[Any, ...]) -> Law:
    """`law` with further parameters, every one any of its options."""

    def extended(choose: Choose) -> Signature:
        signature = law(choose)
        chosen = {name: choose(values) for name, values in options.items()}
        return Signature(signature.shapes, {**signature.parameters, **chosen}, signature.domains)

    return extended
