"""What a special point leaves open is no failure; what it does not is one."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from conformance_backends.mutants.mutant import value

from conformance.checks.e_values.special_points import nans_last, value_at_a_special_point_is_the_references
from conformance.checks.point_observation import PointObservation
from conformance.errors import Violation
from conformance.points import find_point
from conformance.points.point import Place

NAN = np.nan


def sorting(order: Callable[[Any], Any]) -> Any:
    """The reference engine with another sort."""
    mutant = value("sort", "another", (), ("sort",), lambda right, x, axis: order(right(x, axis=axis)))
    return mutant.make()


def ask(order: Callable[[Any], Any]) -> None:
    place = Place(find_point("sort/nan-between"), "float64")
    value_at_a_special_point_is_the_references(PointObservation(sorting(order), place))


@pytest.mark.parametrize("order", [np.asarray, lambda z: np.roll(z, 1), lambda z: z[np.array([0, 2, 1])]])
def test_where_a_sort_puts_a_nan_is_the_engines_choice(order: Callable[[Any], Any]) -> None:
    ask(order)


@pytest.mark.parametrize("order", [lambda z: z[::-1], lambda z: np.nan_to_num(z), lambda z: z[None]])
def test_the_numbers_beside_it_ascend_and_none_is_lost(order: Callable[[Any], Any]) -> None:
    with pytest.raises(Violation):
        ask(order)


def test_numbers_keep_their_order_before_the_nans_of_a_vector() -> None:
    assert np.array_equal(nans_last(np.array([NAN, 2, NAN, 1])), [2, 1, NAN, NAN], equal_nan=True)
    assert nans_last(np.array([[NAN, 2.0]])).shape == (1, 2)


def test_a_wrong_value_is_shown_at_its_first_wrong_entry() -> None:
    mutant = value(
        "softmax", "another", (), ("softmax",), lambda right, x, axis: np.add(right(x, axis=axis), [0, 1])
    )
    place = Place(find_point("softmax/at-1000"), "float64")
    with pytest.raises(Violation) as caught:
        value_at_a_special_point_is_the_references(PointObservation(mutant.make(), place))
    assert caught.value.where == "[1]"


def wrong_at(key: str, op: str, order: Callable[[Any], Any]) -> Violation:
    """What is wrong with the value at a point of the reference engine, whose op gives another array."""
    mutant = value(op, "another", (), (op,), lambda right, *xs, **given: order(right(*xs, **given)))
    with pytest.raises(Violation) as caught:
        value_at_a_special_point_is_the_references(
            PointObservation(mutant.make(), Place(find_point(key), "float64"))
        )
    return caught.value


def test_a_value_of_another_shape_is_said_by_its_shapes_and_its_numbers_are_looked_at() -> None:
    shape = wrong_at("mean/nan-first", "mean", lambda z: z.reshape(1))
    assert str(shape) == "the value at mean/nan-first has shape (1,), not ()"
    assert shape.got is None
    both = wrong_at("mean/nan-first", "mean", lambda z: np.ones(1))
    assert "has shape" not in str(both)
    assert both.got is not None
