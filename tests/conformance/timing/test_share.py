"""The engine's share of the time, on a clock that ticks only where a test says so."""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from conformance.timing import share
from conformance.timing.share import engine_clock

from .engines import Right, Tape

X = np.array([1.0, 2.0])


class Ticks:
    """A clock that an engine moves."""

    now = 0.0

    def perf_counter(self) -> float:
        return self.now

    def passing(self, function: Callable[..., Any]) -> Callable[..., Any]:
        """`function`, taking one second."""

        def slow(*arguments: Any, **keywords: Any) -> Any:
            self.now += 1
            return function(*arguments, **keywords)

        return slow


@pytest.fixture
def ticks(monkeypatch: pytest.MonkeyPatch) -> Ticks:
    clock = Ticks()
    monkeypatch.setattr(share, "time", SimpleNamespace(perf_counter=clock.perf_counter))
    return clock


def test_time_inside_methods_is_counted_and_time_outside_is_not(ticks: Ticks) -> None:
    backend = Right()
    backend.array = ticks.passing(backend.array)
    with engine_clock(backend) as clock:
        backend.array(X)
        ticks.now += 100
        backend.array(X)
    assert clock.seconds == 2


def test_a_call_within_a_call_is_counted_once(ticks: Ticks) -> None:
    backend = Tape()
    backend.leaf = ticks.passing(backend.leaf)
    backend.backward = ticks.passing(backend.backward)
    with engine_clock(backend) as clock:
        backend.gradient(lambda x: np.sum(x), [X])
    assert clock.seconds == ticks.now == 2


def test_ops_and_pullbacks_are_on_the_clock(ticks: Ticks) -> None:
    backend = Right()
    backend.ops = {"double": ticks.passing(lambda x: 2 * x)}
    backend.pullback = lambda function, arrays: (function(*arrays), ticks.passing(lambda g: (g,)))
    with engine_clock(backend) as clock:
        backend.op("double")(X)
        assert clock.seconds == 1
        _, pulled = backend.pullback(np.sum, [X])
        pulled(1.0)
    assert clock.seconds == 2


def test_a_trace_is_on_the_clock_when_it_is_pulled(ticks: Ticks) -> None:
    backend = Right()
    backend.pullback = lambda function, arrays: (function(*arrays), ticks.passing(lambda g: (g,)))
    with engine_clock(backend) as clock:
        traced = backend.trace(np.sum, [X])
        assert clock.seconds == 0
        traced.pull([np.array(1.0)])
    assert clock.seconds == 1


def test_remembered_calls_are_on_the_clock_of_their_scope_only(ticks: Ticks) -> None:
    backend = Right()
    backend.ops = {"double": ticks.passing(lambda x: 2 * x)}
    seconds = []
    for _ in range(2):
        backend.call("double", {})(X)
        with engine_clock(backend) as clock:
            assert backend.call("double", {}) is backend.call("double", {})
            backend.call("double", {})(X)
        backend.call("double", {})(X)
        seconds.append(clock.seconds)
    assert seconds == [1, 1]


def test_an_exception_stops_the_clock(ticks: Ticks) -> None:
    backend = Right()

    def fail(value: object) -> None:
        ticks.now += 1
        raise ValueError

    backend.numpy = fail
    with engine_clock(backend) as clock:
        for _ in range(2):
            with pytest.raises(ValueError):  # noqa: PT011 - the engine's own
                backend.numpy(X)
    assert clock.seconds == 2


def test_the_backend_is_as_before_afterwards() -> None:
    backend = Right()
    before = dict(vars(backend))
    with engine_clock(backend):
        assert vars(backend) != before
    assert vars(backend) == before
