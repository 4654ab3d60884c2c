"""One of several arrays for each entry: the first whose condition holds, or the one that a number names."""

from __future__ import annotations

from typing import Any

import numpy as np

from conformance.op import BOOLEAN, REAL, Choose, Domain, Op, OperandKind, Signature
from conformance.ops import laws
from conformance.ops.dispatch import dispatched
from conformance.ops.rows import general, unbroadcast
from conformance.ops.traits import (
    ELEMENTWISE,
    HOLOMORPHIC,
    PIECEWISE_LINEAR,
    Homogeneous,
    Shift,
)

# -- by conditions -----------------------------------------------------------------------------------


@dispatched
def select(first: Any, second: Any, x: Any, y: Any, *, default: float) -> Any:
    """x where the first condition holds, else y where the second one does, else the number."""
    return np.where(first, x, np.where(second, y, default))


def select_first(g: Any, z: Any, first: Any, second: Any, x: Any, y: Any, default: float) -> Any:
    """g where the first condition holds."""
    return unbroadcast(np.where(first, g, 0), np.shape(x))


def select_second(g: Any, z: Any, first: Any, second: Any, x: Any, y: Any, default: float) -> Any:
    """g where the second condition holds, and the first one does not."""
    return unbroadcast(np.where(first, 0, np.where(second, g, 0)), np.shape(y))


# -- by numbers --------------------------------------------------------------------------------------

COUNT = 3  # of the arrays that are chosen from


def places(index: Any, mode: str) -> Any:
    """The numbers of the arrays: those out of range are the nearest, or counted around."""
    return np.clip(index, 0, COUNT - 1) if mode == "clip" else np.remainder(index, COUNT)


@dispatched
def choose(index: Any, x: Any, y: Any, w: Any, *, mode: str) -> Any:
    """x, y or w: the one that the index numbers."""
    place = places(index, mode)
    return np.where(place == 0, x, np.where(place == 1, y, w))


def chosen(number: int) -> Any:
    """g where that array is chosen."""

    def vjp(g: Any, z: Any, index: Any, *operands: Any, mode: str) -> Any:
        here = np.where(places(index, mode) == number, g, 0)
        return unbroadcast(here, np.shape(operands[number]))

    return vjp


# -- laws --------------------------------------------------------------------------------------------

AROUND = Domain(low=-COUNT, high=2 * COUNT, kind=OperandKind.INDEX)


def choosing(choose: Choose) -> Signature:
    """Numbers in range and beyond it, and arrays that broadcast."""
    return Signature(laws.broadcast(1 + COUNT)(choose).shapes, {"mode": choose(("clip", "wrap"))})


def selecting(choose: Choose) -> Signature:
    """Conditions and arrays that broadcast, or two single conditions for all entries."""
    shapes = laws.broadcast(4)(choose).shapes
    return Signature(
        ((), (), *shapes[2:]) if choose((False, True)) else shapes, {"default": choose((0.0, 1.3, -2))}
    )


# -- rows --------------------------------------------------------------------------------------------

ROWS: tuple[Op, ...] = (
    # np.where selects g and does not multiply by 0: an infinite g must not leak NaN into what is not chosen.
    general("select", select, None, None, select_first, select_second,
        formula="x̄ = g where c, else 0; ȳ = g where d and not c, else 0", source="where's rule, twice",
        domains=[BOOLEAN, BOOLEAN, REAL, REAL],
        law=selecting,
        traits={ELEMENTWISE, HOLOMORPHIC, PIECEWISE_LINEAR}),
    general("choose", choose, None, *map(chosen, range(COUNT)),
        formula="x̄ᵢ = g where the index is i, else 0", source="linear in all arrays: selects",
        domains=[AROUND, REAL, REAL, REAL], law=choosing,
        traits={ELEMENTWISE, HOLOMORPHIC, PIECEWISE_LINEAR, Homogeneous(1, of=(1, 2, 3)), Shift(1, of=(1, 2, 3))}),
)  # fmt: skip
