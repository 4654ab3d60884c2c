"""pytest-benchmark's private names, which no other module uses: they time one round at a time.

The public call of the fixture calibrates a function and runs all its rounds at once. Contenders that are interleaved
need the steps one by one.
"""

from __future__ import annotations

import inspect
import time
from collections.abc import Callable
from dataclasses import dataclass
from importlib.metadata import version
from types import SimpleNamespace
from typing import Any

from pytest_benchmark import fixture as plugin
from pytest_benchmark.logger import Logger
from pytest_benchmark.utils import NameWrapper

from conformance.errors import DependencyError


@dataclass(frozen=True)
class Calibration:
    """The seconds of one round, and how many calls it repeats."""

    seconds: float
    iterations: int
    loops: Any


class BenchmarkFixture:
    """One function on pytest-benchmark's fixture, made without a pytest session.

    Raises DependencyError where pytest-benchmark no longer has the names that are used here.
    """

    def __init__(
        self, name: str, call: Callable[[], object], *, least: int, seconds: float, round_seconds: float
    ) -> None:
        settings = {
            "node": SimpleNamespace(name=name, nodeid=name),
            "disable_gc": True,
            "timer": NameWrapper(time.perf_counter),
            "min_rounds": least,
            "min_time": round_seconds,
            "max_time": seconds,
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
        try:
            known = inspect.signature(plugin.BenchmarkFixture).parameters
            fixture = plugin.BenchmarkFixture(**{n: value for n, value in settings.items() if n in known})
            self._calibrate, self._statistics = fixture._calibrate_timer, fixture._make_stats
            self._paused = plugin.PauseInstrumentation
            self._runner = fixture._make_runner(call, (), {})
        except (AttributeError, TypeError) as error:
            raise DependencyError("pytest-benchmark", version("pytest-benchmark"), str(error)) from error

    def calibrate(self) -> Calibration:
        """Find how many calls a round needs to take `round_seconds`."""
        with self._paused():
            return Calibration(*self._calibrate(self._runner))

    def start(self, calibration: Calibration) -> None:
        """Start the statistics of rounds of this calibration."""
        self._loops, self._metadata = calibration.loops, self._statistics(calibration.iterations)

    def run_round(self) -> None:
        """Run one round and keep its time."""
        with self._paused():
            self._metadata.update(self._runner(self._loops))

    @property
    def statistics(self) -> Any:
        """pytest-benchmark's statistics of the rounds so far; `data` has the seconds of one call in each."""
        return self._metadata.stats
