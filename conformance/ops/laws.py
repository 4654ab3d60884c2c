"""Laws of shapes: which operands and parameters fit together.

A law takes `choose`, which picks one of some options, the first being the simplest. So the same
law serves random drawing, exhaustive enumeration and the explanation of an op. The vocabulary of
shapes is small on purpose: a compiling engine pays for every new signature. Square and cubic
shapes stand beside ragged ones, because a mixed-up axis raises on ragged shapes and is silent on
square ones.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from conformance.op import Choose, Law, Shape, Signature

SHAPES: tuple[Shape, ...] = ((3,), (), (2, 3), (3, 3), (1,), (2, 1, 3), (3, 3, 3), (0,), (2, 0))
MATRICES: tuple[Shape, ...] = ((2, 3), (3, 3), (1, 3), (3, 2, 3), (0, 3))

# Pairs that broadcast: equal, 0-d, leading axes missing, size-1 on one side, on both, empty.
BROADCAST_PAIRS: tuple[tuple[Shape, Shape], ...] = (
    ((3,), (3,)),
    ((), (3,)),
    ((3,), ()),
    ((2, 3), (3,)),
    ((3,), (3, 3)),
    ((2, 1), (1, 3)),
    ((3, 1), (3, 3)),
    ((2, 1, 3), (2, 1)),
    ((), ()),
    ((1,), (3,)),
    ((1, 1), (3, 1)),
    ((0,), (1,)),
    ((2, 0), (2, 1)),
)


def one_array(choose: Choose) -> Signature:
    """One operand of any shape, no parameters."""
    return Signature((choose(SHAPES),))


def broadcast(count: int) -> Law:
    """`count` operands of shapes that broadcast against each other."""

    def law(choose: Choose) -> Signature:
        pair = choose(BROADCAST_PAIRS)
        rest = tuple(choose((pair[0], pair[1], ())) for _ in range(count - 2))
        return Signature((*pair, *rest))

    return law


def axis_forms(shape: Shape) -> tuple[Any, ...]:
    """Every form an axis can take for `shape`: None, integers of both signs, tuples, the empty tuple."""
    ndim = len(shape)
    singles = [*range(ndim), *(-1 - axis for axis in range(ndim))]
    pairs = [(i, j) for i in range(ndim) for j in range(ndim) if i != j]
    mixed = [(-1, 0)] if ndim > 1 else []
    return (None, *singles, *pairs, *mixed, ())


def reduction(shapes: Sequence[Shape] = SHAPES, *, needs_entries: bool = False) -> Law:
    """One operand, `axis` in every form and `keepdims`.

    `needs_entries` keeps to reductions that see at least one entry (a maximum of nothing is none).
    """

    def law(choose: Choose) -> Signature:
        shape = choose([s for s in shapes if not needs_entries or 0 not in s])
        axis = choose(axis_forms(shape))
        return Signature((shape,), {"axis": axis, "keepdims": choose((False, True))})

    return law


def along_one_axis(shapes: Sequence[Shape] = tuple(filter(None, SHAPES))) -> Law:
    """One operand of at least one dimension and one integer `axis` of either sign."""

    def law(choose: Choose) -> Signature:
        shape = choose(shapes)
        axis = choose((-1, *range(len(shape)), *range(-len(shape), -1)))
        return Signature((shape,), {"axis": axis})

    return law


along_one_full_axis = along_one_axis(tuple(s for s in SHAPES if s and 0 not in s))


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
