"""The weights of ties are counted in each reduction apart, over all its axes together."""

from __future__ import annotations

import numpy as np
import pytest

from conformance.points.along_axes import POINTS, weights_of
from conformance.points.constructors import FIRST, LAST, SHARED
from conformance.points.point import Place

TIED = np.array([[True, False], [True, True]])


def test_a_tie_over_two_axes_is_counted_over_both() -> None:
    assert weights_of(TIED, (0, 1))[SHARED].tolist() == [[1 / 3, 0], [1 / 3, 1 / 3]]
    assert weights_of(TIED, 1)[SHARED].tolist() == [[1, 0], [0.5, 0.5]]


def test_the_first_and_the_last_are_those_in_the_order_of_the_axes() -> None:
    assert weights_of(TIED, (0, 1))[LAST].tolist() == [[0, 0], [0, 1]]
    assert weights_of(~TIED, (0, 1))[FIRST].tolist() == [[0, 1], [0, 0]]
    assert weights_of(TIED, (1, 0))[LAST].tolist() == [[0, 0], [0, 1]]


@pytest.mark.parametrize("point", POINTS, ids=lambda point: point.key)
def test_the_weights_of_every_convention_add_up(point: object) -> None:
    place = Place(point, "float64")  # type: ignore[arg-type]
    for (gradient,) in place.conventions.values():
        assert gradient is not None
        assert np.isclose(float(gradient.sum()), float(point.total or 0))  # type: ignore[attr-defined]
