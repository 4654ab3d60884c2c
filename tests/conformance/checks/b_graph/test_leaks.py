"""A leak is said to be of what leaks."""

from __future__ import annotations

from typing import Any

import pytest
from conformance_backends.numpy_backend import NumpyTape

from conformance.checks.b_graph import leaks
from conformance.checks.b_graph.leaks import (
    graphs_ended_in_any_way_leave_no_object,
    graphs_of_every_op_leave_no_object,
)
from conformance.checks.b_graph.lifetime import OBJECT, entries_for
from conformance.checks.sample import Sample
from conformance.errors import Violation


class KeepsArrays(NumpyTape):
    """An engine that keeps a list for every array that is made."""

    kept: list[Any] = []  # noqa: RUF012

    def array(self, value: Any) -> Any:
        self.kept.append([value])
        return super().array(value)


@pytest.mark.parametrize(
    "check", [graphs_of_every_op_leave_no_object, graphs_ended_in_any_way_leave_no_object]
)
def test_what_every_array_leaves_is_not_said_of_the_graph_of_an_op(check: Any) -> None:
    with pytest.raises(Violation, match="every array leaves objects behind, in no graph"):
        check(KeepsArrays(), Sample(0, "float64"))


class PurgesNowAndThen(NumpyTape):
    """An engine that keeps something for every array, and drops all of it after some hundred."""

    kept: list[Any] = []  # noqa: RUF012

    def array(self, value: Any) -> Any:
        self.kept.append([value])
        if len(self.kept) > 300:
            self.kept.clear()
        return super().array(value)


@pytest.mark.parametrize(
    "check", [graphs_of_every_op_leave_no_object, graphs_ended_in_any_way_leave_no_object]
)
def test_what_is_dropped_now_and_then_is_no_leak(check: Any) -> None:
    check(PurgesNowAndThen(), Sample(0, "float64"))


class Node:
    """One number of an engine that has no arrays."""

    def __init__(self, value: float) -> None:
        self.value, self.gradient = value, [0.0]


class HasScalars(NumpyTape):
    def array(self, value: Any) -> Any:
        return [Node(float(number)) for number in value.ravel()]


def test_an_engine_with_objects_for_every_entry_is_asked_of_fewer_entries() -> None:
    assert entries_for(NumpyTape(), "float64", 2**16) == 2**16
    assert entries_for(HasScalars(), "float64", 2**16) == 2**16 // OBJECT


@pytest.mark.parametrize(
    ("held", "found"),
    [((0, 9000, 9000, 9500), 0), ((0, 9000, 9000, 17000, 17000, 25000), 8000)],
)
def test_a_process_that_grows_once_leaks_nothing_and_one_that_grows_every_time_does(
    monkeypatch: pytest.MonkeyPatch, held: tuple[int, ...], found: int
) -> None:
    """The pools of an engine's threads and of the C library grow once, and more where the machine is busy."""
    readings = iter(held)
    monkeypatch.setattr(leaks, "resident", lambda: next(readings))
    assert leaks._grown_beyond(lambda: None, 1000) == found
