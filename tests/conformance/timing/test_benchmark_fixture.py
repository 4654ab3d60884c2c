"""The private names of pytest-benchmark that are used exist and do what is expected of them."""

from __future__ import annotations

from importlib.metadata import version

import pytest
from pytest_benchmark import fixture as plugin

from conformance.errors import DependencyError
from conformance.timing.benchmark_fixture import BenchmarkFixture

VERSION = version("pytest-benchmark")
BROKEN = f"pytest-benchmark {VERSION}: its private interface for single rounds has changed"


def fixture() -> BenchmarkFixture:
    return BenchmarkFixture("a", lambda: None, least=2, seconds=1.0, round_seconds=1e-4)


def test_pytest_benchmark_times_the_rounds() -> None:
    timed = fixture()
    calibration = timed.calibrate()
    assert calibration.iterations == len(calibration.loops) > 1, BROKEN
    assert calibration.seconds > 1e-5, BROKEN
    timed.start(calibration)
    for _ in range(3):
        timed.run_round()
    assert type(timed.statistics).__module__ == "pytest_benchmark.stats", BROKEN
    assert len(timed.statistics.data) == timed.statistics.rounds == 3, BROKEN
    assert all(0 < seconds < 1e-4 for seconds in timed.statistics.data), BROKEN


@pytest.mark.parametrize("name", ["_make_runner", "_calibrate_timer", "_make_stats"])
def test_a_missing_method_is_an_error_that_names_pytest_benchmark_and_its_version(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delattr(plugin.BenchmarkFixture, name)
    with pytest.raises(DependencyError, match=f"pytest-benchmark {VERSION} .*{name}"):
        fixture()


def test_a_new_argument_is_an_error_that_names_pytest_benchmark(monkeypatch: pytest.MonkeyPatch) -> None:
    def construct(self: object, node: object, *, required: object) -> None: ...

    monkeypatch.setattr(plugin.BenchmarkFixture, "__init__", construct)
    with pytest.raises(DependencyError, match=f"pytest-benchmark {VERSION} .*required"):
        fixture()
