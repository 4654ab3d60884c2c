"""The special points: that each says what the derivatives of the reference right beside it say."""

import numpy as np
import pytest

from conformance.ops import CATALOGUE
from conformance.points import SPECIAL_POINTS
from conformance.points.constructors import kink, limit
from conformance.points.point import Nature, Place, SpecialPoint

from .neighbourhood import nearby

CURVATURE = 1e-4  # a smooth gradient this far aside has changed by much less; a wrong one is off by much more
FILLED = 0.1  # of a ball whose rim forty directions only come near to


def is_provable(point: SpecialPoint) -> bool:
    """Whether the reference can be differentiated beside the point: infinite operands and none have no beside."""
    if point.nature in (Nature.BORDER, Nature.COMPOSITION):
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


@pytest.mark.parametrize("key", PROVABLE)
def test_gradients_beside_a_point_lie_in_its_range_and_fill_it(key: str) -> None:
    point = SPECIAL_POINTS[key]
    for found in nearby(CATALOGUE[point.op], Place(point, "float64")):
        assert found.beyond < CURVATURE
        assert found.unfilled < (FILLED if point.nature in (Nature.KINK, Nature.TIE) else CURVATURE)


def test_a_range_that_is_too_wide_is_found_out() -> None:
    (found,) = nearby(CATALOGUE["relu"], Place(kink("relu", "wide", (0.0,), (-1, 1)), "float64"))
    assert found.unfilled > FILLED


def test_a_wrong_limit_is_found_out() -> None:
    (found,) = nearby(CATALOGUE["sinc"], Place(limit("sinc", "wrong", (0.0,), (0.5,)), "float64"))
    assert found.beyond > CURVATURE
