"""The conventions at special points: the usual ones, with each engine's departures."""

from __future__ import annotations

import importlib
from collections.abc import Mapping

import pytest
from conformance_backends.usual_points import USUAL, declared_points

from conformance.checks.point_observation import RAISES
from conformance.points import SPECIAL_POINTS, points_of

ENGINES = ("numpy", "torch", "jax", "autograd", "mygrad")
TABLES: dict[str, Mapping[str, str | None]] = {
    engine: importlib.import_module(f"conformance_backends.{engine}_points").DEPARTURES for engine in ENGINES
}
TABLES["tensorflow"] = importlib.import_module("conformance_backends.tensorflow.points").DEPARTURES
DEPARTURES = [
    pytest.param(table, place, id=f"{engine}-{place}") for engine, table in TABLES.items() for place in table
]


@pytest.mark.parametrize("point", USUAL)
def test_a_usual_choice_is_a_convention_of_its_point(point: str) -> None:
    assert USUAL[point] in (*SPECIAL_POINTS[point].conventions, RAISES)


@pytest.mark.parametrize(("table", "place"), DEPARTURES)
def test_a_departure_declares_a_convention_of_its_points(table: Mapping[str, str | None], place: str) -> None:
    usual = [p for p in points_of(place) if p.key in USUAL]
    places = [SPECIAL_POINTS[place]] if "/" in place else usual
    assert places
    for point in places:
        assert table[place] in (None, RAISES, *point.conventions) or point.key in table


@pytest.mark.parametrize(("table", "place"), DEPARTURES)
def test_a_departure_changes_what_is_declared(table: Mapping[str, str | None], place: str) -> None:
    others = {key: choice for key, choice in table.items() if key != place}
    ops = {key.partition("/")[0] for key in (*USUAL, *table)}
    assert declared_points(ops, table) != declared_points(ops, others)


def test_without_departures_the_usual_is_declared() -> None:
    assert declared_points({"abs"}, {}) == {"abs/at-0": "zero", "abs/at-minus-0": "zero", "abs/at-nan": "nan"}


def test_a_departure_of_an_op_is_of_all_its_usual_points() -> None:
    every = dict.fromkeys(("abs/at-0", "abs/at-minus-0", "abs/at-nan"), "right")
    assert declared_points({"abs"}, {"abs": "right"}) == every


def test_a_point_that_is_named_goes_before_its_op() -> None:
    departures = {"abs": "right", "abs/at-0": "left", "abs/at-nan": "zero"}
    declared = {"abs/at-0": "left", "abs/at-minus-0": "right", "abs/at-nan": "zero"}
    assert declared_points({"abs"}, departures) == declared


def test_none_declares_nothing() -> None:
    assert declared_points({"abs"}, {"abs/at-0": None}) == {"abs/at-minus-0": "zero", "abs/at-nan": "nan"}
    assert declared_points({"abs"}, {"abs": None}) == {}


def test_a_point_without_a_usual_convention_may_be_declared() -> None:
    assert declared_points({"det"}, {"det/singular": RAISES}) == {"det/singular": RAISES}


def test_points_of_ops_that_the_engine_lacks_are_left_out() -> None:
    assert declared_points(set(), {"abs/at-0": "left"}) == {}
