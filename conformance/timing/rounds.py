"""Rounds: pytest-benchmark's calibration, clock and statistics, with the contenders interleaved.

pytest-benchmark runs all the rounds of one function, then all of the next, so that a machine that
slows down for a second slows down one engine. Here one sweep times one round of every contender,
and a ratio is taken within each sweep, where a slow moment is slow for both.
"""

from __future__ import annotations

import gc
import math
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from conformance.timing.benchmark_fixture import BenchmarkFixture

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
    """One thing to time: a name, and a call without arguments.

    Where `waits`, the call waits for work that is done elsewhere (on a GPU, in threads of the engine), and this process idles.
    """

    name: str
    call: Callable[[], object]
    waits: bool = False


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


def time_interleaved(
    contenders: Sequence[Contender],
    budget: Budget,
    seed: int,
    watch: Callable[[], AbstractContextManager[object]] = nullcontext,
) -> dict[str, Rounds]:
    """Time all the contenders in sweeps of one round each, by name.

    The order within each sweep is drawn: no contender always follows one that empties the caches or leaves
    threads spinning. A slow contender takes part in the first sweeps
    only, so that it does not cost the others their rounds.

    Each round in which this process should be at work all the time stands within `watch()`.
    """
    rng = np.random.default_rng(seed)
    with collected():
        tracks = [Track(contender, budget) for contender in contenders]
        for sweep in range(max(track.rounds for track in tracks)):
            gc.collect()  # between rounds: within one the collector is off
            for index in rng.permutation(len(tracks)):
                track = tracks[index]
                if sweep < track.rounds:
                    with nullcontext() if track.waits else watch():
                        track.fixture.run_round()
    return {track.name: Rounds(track.name, track.fixture.statistics) for track in tracks}


def rounds_within(budget: Budget, seconds: float) -> int:
    """How many rounds of so many seconds fit."""
    return max(budget.least, min(budget.rounds, math.floor(budget.seconds / max(seconds, 1e-9))))


class Track:
    """One contender: calibrated once, run a round at a time."""

    def __init__(self, contender: Contender, budget: Budget) -> None:
        self.name, self.waits = contender.name, contender.waits
        self.fixture = BenchmarkFixture(
            contender.name,
            contender.call,
            least=budget.least,
            seconds=budget.seconds,
            round_seconds=budget.round_seconds,
        )
        calibrations = [self.fixture.calibrate() for _ in range(CALIBRATIONS)]
        # The most repetitions: a stall during a calibration makes a call look long, and its rounds would
        # then be of one cold call each.
        chosen = max(calibrations, key=lambda calibration: calibration.iterations)
        self.rounds = rounds_within(budget, chosen.seconds)
        self.fixture.start(chosen)


@contextmanager
def collected() -> Iterator[None]:
    """A scope that starts without garbage, and in which the objects that exist already are not searched for it."""
    gc.collect()
    gc.freeze()
    try:
        yield
    finally:
        gc.unfreeze()


def ratio(times: Rounds, baseline: Rounds, seed: int) -> Ratio:
    """How many times as long as `baseline`: the median over the sweeps of the ratio within each.

    The interval is a percentile bootstrap over the sweeps that both took part in, widened to the ratio of the least
    times: what disturbs all sweeps alike moves the median and not the minimum, and no bootstrap shows it.
    """
    shared = min(len(times.seconds), len(baseline.seconds))
    within = times.seconds[:shared] / baseline.seconds[:shared]
    drawn = np.random.default_rng(seed).integers(len(within), size=(RESAMPLES, len(within)))
    low, high = np.quantile(np.median(within[drawn], axis=1), (0.025, 0.975))
    least = float(times.seconds.min() / baseline.seconds.min())
    return Ratio(float(np.median(within)), min(float(low), least), max(float(high), least))
