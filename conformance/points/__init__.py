"""The special points of the catalogue's ops, a module per family of ops."""

from __future__ import annotations

import difflib
from collections.abc import Iterable

from conformance.errors import UsageError
from conformance.ops import require_canonical
from conformance.points import (
    activations,
    along_axes,
    compositions,
    elementwise,
    gathered,
    layers,
    losses,
    margins,
    not_numbers,
    offsets,
    pools,
    products,
    reductions,
    specials,
    tails,
    tiny,
    truths,
    twofold,
    with_parameters,
)
from conformance.points.point import COMPOSED, SpecialPoint

SPECIAL_POINTS: dict[str, SpecialPoint] = {
    point.key: point
    for family in (
        elementwise,
        activations,
        reductions,
        gathered,
        layers,
        losses,
        margins,
        specials,
        compositions,
        tails,
        not_numbers,
        along_axes,
        pools,
        products,
        offsets,
        tiny,
        truths,
        twofold,
        with_parameters,
    )
    for point in family.POINTS
}


def require_ops(points: Iterable[SpecialPoint]) -> None:
    """Raise UsageError, which names the nearest, unless every op that a point or a step of one names exists."""
    for point in points:
        for name in [step.op for step in point.steps] if point.op == COMPOSED else [point.op]:
            require_canonical(name, f"the special point {point.key}")


require_ops(SPECIAL_POINTS.values())


def points_of(op: str) -> list[SpecialPoint]:
    """The special points of an op."""
    return [point for point in SPECIAL_POINTS.values() if point.op == op]


def find_point(key: str) -> SpecialPoint:
    """The point of that key; the UsageError for an unknown key names similar ones."""
    try:
        return SPECIAL_POINTS[key]
    except KeyError:
        similar = difflib.get_close_matches(key, SPECIAL_POINTS, n=3, cutoff=0.3)
        raise UsageError(f"there is no special point {key!r}; there are {', '.join(similar)}") from None
