"""Rounds: pytest-benchmark's calibration, clock and statistics, with the contenders taking turns.

pytest-benchmark runs all the rounds of one function, then all of the next, so that a machine that
slows down for a second slows down one engine. Here one sweep times one round of every contender,
and a ratio is taken within each sweep, where whatever was slow was slow for both.
"""

from __future__ import annotations

import gc
import inspect
import math
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any

import numpy as np
from pytest_benchmark.fixture import BenchmarkFixture, PauseInstrumentation
from pytest_benchmark.logger import Logger
from pytest_benchmark.utils import NameWrapper

RESAMPLES = 2000
CALIBRATIONS = 3


@dataclass(frozen=True)
class Budget:
    """How long to measure: `rounds` each, fewer (not below `least`) for one that takes over `seconds`.

    A round repeats the call until it takes `round_seconds`, so that the clock's own grain is nothing.
    """

    rounds: int = 30
    least: int = 10
    seconds: float = 1.0
    round_seconds: float = 1e-3


@dataclass(frozen=True)
class Contender:
    """One thing to time: a name, and a call without arguments."""

    name: str
    call: Callable[[], object]


@dataclass(frozen=True)
class Rounds:
    """The seconds of one call, round by round, with pytest-benchmark's statistics of them."""

    name: str
    statistics: Any = field(repr=False)

    @property
    def seconds(self) -> np.ndarray[Any, Any]:
        """One entry per round, in the order of the sweeps."""
        return np.array(self.statistics.data)


@dataclass(frozen=True)
class Ratio:
    """A ratio of times, and its 95 % interval."""

    value: float
    low: float
    high: float


def take_turns(contenders: Sequence[Contender], budget: Budget, seed: int) -> dict[str, Rounds]:
    """Time all the contenders in sweeps of one round each, by name.

    The order within a sweep is drawn anew each time: behind one that empties the caches, or leaves
    threads spinning, comes now this one and now that. A slow contender takes part in the first sweeps
    only, so that it does not cost the others their rounds.
    """
    rng = np.random.default_rng(seed)
    with collected():
        tracks = [Track(contender, budget) for contender in contenders]
        for sweep in range(max(track.rounds for track in tracks)):
            gc.collect()  # between rounds: within one it is off, and garbage is nobody else's time
            for index in rng.permutation(len(tracks)):
                if sweep < tracks[index].rounds:
                    tracks[index].run_round()
    return {track.name: Rounds(track.name, track.metadata.stats) for track in tracks}


def rounds_within(budget: Budget, seconds: float) -> int:
    """How many rounds of so many seconds fit."""
    return max(budget.least, min(budget.rounds, math.floor(budget.seconds / max(seconds, 1e-9))))


class Track:
    """One contender on pytest-benchmark's fixture: calibrated once, run a round at a time.

    The fixture's underscored methods are its calibration and its timed loop: its public call runs
    them all at once, which leaves nobody a turn.
    """

    def __init__(self, contender: Contender, budget: Budget) -> None:
        self.name = contender.name
        fixture = fixture_for(contender.name, budget)
        self.runner = fixture._make_runner(contender.call, (), {})
        with PauseInstrumentation():
            calibrations = [fixture._calibrate_timer(self.runner) for _ in range(CALIBRATIONS)]
        # The most repetitions asked for: a stall during a calibration makes a call look long, and its
        # rounds would then be of one cold call each.
        seconds, iterations, self.loops = max(calibrations, key=lambda calibrated: calibrated[1])
        self.rounds = rounds_within(budget, seconds)
        self.metadata = fixture._make_stats(iterations)

    def run_round(self) -> None:
        """Run one round and keep its time."""
        with PauseInstrumentation():
            self.metadata.update(self.runner(self.loops))


def fixture_for(name: str, budget: Budget) -> Any:
    """pytest-benchmark's fixture, made without a pytest session; its methods do the work."""
    settings = {
        "node": SimpleNamespace(name=name, nodeid=name),
        "disable_gc": True,
        "timer": NameWrapper(time.perf_counter),
        "min_rounds": budget.least,
        "min_time": budget.round_seconds,
        "max_time": budget.seconds,
        "precision": None,  # since 5.3: would stop each contender at a round of its own
        "confidence": None,
        "warmup": False,  # the gate has called everything three times
        "warmup_iterations": 0,
        "calibration_precision": 10,
        "add_stats": lambda stats: None,
        "logger": Logger(Logger.QUIET),
        "warner": None,
        "disabled": False,
        "cprofile": None,
        "cprofile_loops": None,
        "cprofile_dump": None,
    }
    known = inspect.signature(BenchmarkFixture).parameters
    return BenchmarkFixture(**{name: value for name, value in settings.items() if name in known})


@contextmanager
def collected() -> Iterator[None]:
    """A scope that starts without garbage, and where what stands already is not searched for it."""
    gc.collect()
    gc.freeze()
    try:
        yield
    finally:
        gc.unfreeze()


def ratio(times: Rounds, baseline: Rounds, seed: int) -> Ratio:
    """How many times as long as `baseline`: the median over the sweeps of the ratio within each.

    The interval is a percentile bootstrap over the sweeps that both took part in.
    """
    shared = min(len(times.seconds), len(baseline.seconds))
    within = times.seconds[:shared] / baseline.seconds[:shared]
    drawn = np.random.default_rng(seed).integers(len(within), size=(RESAMPLES, len(within)))
    low, high = np.quantile(np.median(within[drawn], axis=1), (0.025, 0.975))
    return Ratio(float(np.median(within)), float(low), float(high))
