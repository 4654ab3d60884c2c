"""Contenders are interleaved, and the statistics are of their own rounds."""

from __future__ import annotations

import gc
import time
from collections.abc import Iterator
from contextlib import contextmanager
from types import SimpleNamespace

import numpy as np
import pytest

from conformance.timing import rounds
from conformance.timing.benchmark_fixture import BenchmarkFixture, Calibration
from conformance.timing.rounds import Budget, Contender, Rounds, ratio, rounds_within, time_interleaved

ONE_CALL = Budget(rounds=6, least=6, seconds=1.0, round_seconds=0.0)


def contender(name: str, log: list[str], seconds: float = 1e-4) -> Contender:
    def call() -> None:
        log.append(name)
        time.sleep(seconds)

    return Contender(name, call)


def sweeps_of(log: list[str], width: int, count: int) -> list[list[str]]:
    """The last calls, sweep by sweep; the ones before them were the calibration's."""
    last = log[-width * count :]
    return [last[start : start + width] for start in range(0, len(last), width)]


def test_every_sweep_has_each_contender_once() -> None:
    log: list[str] = []
    time_interleaved([contender(name, log) for name in "abc"], ONE_CALL, seed=0)
    assert all(sorted(sweep) == ["a", "b", "c"] for sweep in sweeps_of(log, 3, 6))


def test_a_round_is_watched_unless_it_waits_for_a_device() -> None:
    is_watched, seen = False, {"works": set[bool](), "waits": set[bool]()}

    @contextmanager
    def watch() -> Iterator[None]:
        nonlocal is_watched
        is_watched = True
        yield
        is_watched = False

    def call(name: str) -> Contender:
        return Contender(name, lambda: seen[name].add(is_watched), waits=name == "waits")

    time_interleaved([call("works"), call("waits")], ONE_CALL, 0, watch)
    # Before the rounds each is called, unwatched, to find out how often a round must call it.
    assert seen == {"works": {True, False}, "waits": {False}}


def test_the_order_within_sweeps_differs_and_follows_the_seed() -> None:
    orders = []
    for seed in (0, 0, 1):
        log: list[str] = []
        time_interleaved([contender(name, log) for name in "abcd"], ONE_CALL, seed=seed)
        orders.append(sweeps_of(log, 4, 6))
    assert orders[0] == orders[1] != orders[2]
    assert len(set(map(tuple, orders[0]))) > 1


def test_a_slow_contender_has_fewer_rounds_but_not_too_few() -> None:
    budget = Budget(rounds=30, least=10, seconds=1.0)
    assert [rounds_within(budget, seconds) for seconds in (0.0, 0.001, 0.05, 0.1, 7.0)] == [
        30,
        30,
        20,
        10,
        10,
    ]


def test_a_slow_contender_leaves_the_others_their_rounds(monkeypatch: pytest.MonkeyPatch) -> None:
    counts = iter((5, 2))
    monkeypatch.setattr(rounds, "rounds_within", lambda budget, seconds: next(counts))
    log: list[str] = []
    found = time_interleaved([contender("fast", log), contender("slow", log)], ONE_CALL, seed=0)
    assert [found[name].statistics.rounds for name in ("fast", "slow")] == [5, 2]
    assert sorted(log[-7:-3]) == ["fast", "fast", "slow", "slow"]
    assert log[-3:] == ["fast"] * 3


def test_a_round_repeats_a_short_call() -> None:
    log: list[str] = []
    time_interleaved(
        [contender("a", log)], Budget(rounds=2, least=2, seconds=1.0, round_seconds=5e-3), seed=0
    )
    assert len(log) > 3


def test_a_stall_while_calibrating_does_not_make_rounds_short(monkeypatch: pytest.MonkeyPatch) -> None:
    counts = iter((1, 40, 30))
    monkeypatch.setattr(
        BenchmarkFixture, "calibrate", lambda fixture: Calibration(1e-3, n := next(counts), range(n))
    )
    log: list[str] = []
    time_interleaved([Contender("a", lambda: log.append("a"))], ONE_CALL, seed=0)
    assert len(log) == 40 * ONE_CALL.rounds


def test_the_garbage_collector_is_off_within_rounds_only() -> None:
    seen: list[bool] = []
    time_interleaved([Contender("a", lambda: seen.append(gc.isenabled()))], ONE_CALL, seed=0)
    assert set(seen) == {False}
    assert gc.isenabled()
    assert gc.get_freeze_count() == 0


def test_an_exception_ends_the_freeze() -> None:
    def fail() -> None:
        raise RuntimeError

    with pytest.raises(RuntimeError):
        time_interleaved([Contender("a", fail)], ONE_CALL, seed=0)
    assert gc.get_freeze_count() == 0
    assert gc.isenabled()


def measured(*seconds: float) -> Rounds:
    return Rounds("a", SimpleNamespace(data=list(seconds)))


@pytest.mark.parametrize("count", [2, 5, 10, 31])
def test_the_interval_brackets_the_ratio(count: int) -> None:
    rng = np.random.default_rng(count)
    for _ in range(20):
        times, baseline = measured(*rng.lognormal(size=count)), measured(*rng.lognormal(size=count))
        found = ratio(times, baseline, seed=0)
        assert found.low <= found.value <= found.high


def test_what_slows_a_whole_sweep_does_not_touch_the_ratio() -> None:
    slowness = np.random.default_rng(0).lognormal(sigma=2, size=30)
    found = ratio(measured(*(3 * slowness)), measured(*slowness), seed=0)
    assert (found.low, found.value, found.high) == pytest.approx((3, 3, 3))


def test_a_ratio_uses_the_sweeps_both_took_part_in() -> None:
    found = ratio(measured(2, 2), measured(1, 1, 50, 50, 50), seed=0)
    assert (found.low, found.value, found.high) == (2, 2, 2)


def test_intervals_cover_the_true_ratio_about_as_often_as_they_say() -> None:
    rng = np.random.default_rng(1)
    covered = 0
    for _ in range(100):
        times, baseline = rng.lognormal(sigma=0.1, size=(2, 30))
        found = ratio(measured(*(2 * times)), measured(*baseline), seed=0)
        covered += found.low <= 2 <= found.high
    assert covered >= 88
