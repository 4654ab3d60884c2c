"""Every special point is well formed in every precision, and its extremes are what their names say."""

import re
from typing import Any

import numpy as np
import pytest

from conformance.checks import load_all
from conformance.checks.point_observation import brief
from conformance.errors import UsageError
from conformance.ops import ALL_OPS
from conformance.points import (
    SPECIAL_POINTS,
    activations,
    along_axes,
    compositions,
    elementwise,
    find_point,
    gathered,
    layers,
    losses,
    margins,
    not_numbers,
    offsets,
    pools,
    products,
    reductions,
    require_ops,
    specials,
    tails,
    tiny,
    truths,
    twofold,
    with_parameters,
)
from conformance.points.constructors import composition, limit
from conformance.points.point import COMPOSED, Place, SpecialPoint

FAMILIES = (
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


def test_no_two_points_have_one_key() -> None:
    assert len(SPECIAL_POINTS) == sum(len(family.POINTS) for family in FAMILIES)


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("key", SPECIAL_POINTS)
def test_a_point_is_well_formed(key: str, dtype: str) -> None:
    point = SPECIAL_POINTS[key]
    assert re.fullmatch(r"\w+/[\w(),+-]+", key)  # two parts of an id, and nothing a query reads as a pattern
    assert point.op == COMPOSED or point.op in ALL_OPS
    assert f"point/{point.nature.value}" in load_all()
    place = Place(point, dtype)
    assert len(place.within) == len(place.operands)
    for held in filter(None, place.within):
        assert ((held[0] <= held[1]) | np.isnan(held).all(axis=0)).all()
    assert all(len(gradients) == len(place.operands) for gradients in place.conventions.values())


def test_a_token_names_its_point_and_a_damaged_one_is_refused() -> None:
    token = Place(SPECIAL_POINTS["relu/at-0"], "float32").token
    assert Place.from_token(token) == ("relu/at-0", "float32", "")
    with pytest.raises(UsageError, match="not a whole replay token"):
        Place.from_token(token[:-3])


def test_the_error_for_an_unknown_point_names_similar_ones() -> None:
    with pytest.raises(UsageError, match="relu/at-0"):
        find_point("relu/at-1")


def test_extremes_overflow_when_squared_and_not_when_added() -> None:
    for dtype in ("float64", "float32", "float16"):
        place = Place(SPECIAL_POINTS["hypot/huge"], dtype)
        with np.errstate(over="ignore"):
            x, _ = place.operands
            assert np.isinf(x * x)
            assert np.isfinite(x) or dtype == "float16"


@pytest.mark.parametrize(
    ("point", "message"),
    [
        (limit("reciprocl", "at-1", (1.0,), (-1.0,)), "reciprocl/at-1: .* did you mean reciprocal"),
        (limit("power", "at-1", (1.0, 1.0), (1.0, 0.0)), "'power' is an alias; the op is called 'pow'"),
        (composition("x-x", (2.0,), [("subtrac", 0, 0)], (0,)), "composed/x-x: .* did you mean subtract"),
    ],
)
def test_a_point_of_no_op_is_refused_with_the_nearest_name(point: SpecialPoint, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        require_ops([point])


@pytest.mark.parametrize(
    ("got", "true", "shown"),
    [
        ([3.0], [2.0], ("[3]", "[2]")),
        ([3.0 + 1e-6, 1.0], [3.0, 1.0], ("[3.000001 1]", "[3 1]")),
        (3.0 + 2**-51, 3.0, ("3.0000000000000004", "3")),
    ],
)
def test_two_numbers_are_shown_with_the_digits_that_differ(
    got: Any, true: Any, shown: tuple[str, str]
) -> None:
    assert (brief(np.array(got), np.array(true)), brief(np.array(true), np.array(got))) == shown
