"""The special points: that each says what the derivatives of the reference right beside it say."""

from dataclasses import replace

import numpy as np
import pytest

from conformance.ops import CATALOGUE
from conformance.points import SPECIAL_POINTS, offsets
from conformance.points.constructors import kink, limit
from conformance.points.point import Extremes, Nature, Place, SpecialPoint

from .neighbourhood import nearby

CURVATURE = 1e-4  # a smooth gradient this far aside has changed by much less; a wrong one is off by much more
FILLED = 0.1  # of a ball whose rim forty directions only come near to


MANY = 32  # entries, among which differences get lost: such a point has a smaller twin
FAR = [
    point for point in offsets.POINTS if point.nature is Nature.FINITE
]  # steps relative to their operands are too long
MOVED = [
    p
    for p in FAR
    if sum(map(np.size, Place(p, "float64").operands)) < MANY
    and not np.isnan(Place(p, "float64").operands[0]).any()
]


def is_provable(point: SpecialPoint) -> bool:
    """Whether the reference can be differentiated beside the point: infinite operands and none have no beside."""
    if point.nature in (Nature.BORDER, Nature.COMPOSITION, Nature.VALUE) or point in FAR:
        return False
    numbers = [x for x in Place(point, "float64").operands if x.dtype.kind == "f"]
    given = 1.0 if point.cotangent is None else point.cotangent
    return (
        point.nature is not Nature.MASK
        and bool(np.isfinite(given).all())
        and any(x.size for x in numbers)
        and not any(np.isnan(x).any() or (np.isinf(x).any() and point.nature is Nature.TIE) for x in numbers)
    )


PROVABLE = [key for key, point in SPECIAL_POINTS.items() if is_provable(point)]


@pytest.mark.costly
@pytest.mark.parametrize("key", PROVABLE)
def test_gradients_beside_a_point_lie_in_its_range_and_fill_it(key: str) -> None:
    point = SPECIAL_POINTS[key]
    for found in nearby(CATALOGUE[point.op], Place(point, "float64")):
        assert found.beyond < CURVATURE
        assert found.unfilled < (FILLED if point.nature in (Nature.KINK, Nature.TIE) else CURVATURE)


class AtTheOrigin(Extremes):
    """Extremes whose offset is none."""

    offset = 0.0


@pytest.mark.parametrize("point", MOVED, ids=lambda point: point.key)
def test_gradients_far_from_the_origin_are_those_at_it(point: SpecialPoint) -> None:
    assert callable(point.operands)
    moved = replace(point, operands=point.operands(AtTheOrigin("float64")))
    for found in nearby(CATALOGUE[point.op], Place(moved, "float64")):
        assert found.beyond < CURVATURE
        assert found.unfilled < 2 * offsets.SLACK + CURVATURE


def test_a_range_that_is_too_wide_is_found_out() -> None:
    (found,) = nearby(CATALOGUE["relu"], Place(kink("relu", "wide", (0.0,), (-1, 1)), "float64"))
    assert found.unfilled > FILLED


def test_a_wrong_limit_is_found_out() -> None:
    (found,) = nearby(CATALOGUE["sinc"], Place(limit("sinc", "wrong", (0.0,), (0.5,)), "float64"))
    assert found.beyond > CURVATURE
