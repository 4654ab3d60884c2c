"""Noise: how far a machine that does other work disturbs a measurement, and which figures cannot be true.

Two things are measured while the contenders run: the share of a core that this process got (its processor time over
the time on the clock, in rounds that wait for nothing: who waits for a GPU needs no core), and how much longer than its least time a fixed loop takes, which is a contender of
its own. A doubtful time keeps its number and says why it is doubtful: to drop it would hide that it was measured.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from conformance.timing.rounds import Contender, Ratio, Rounds

LEAST_SHARE = 0.95  # of a core; an idle machine gives 0.99 and more
MOST_SPREAD = 1.25  # median over minimum of the fixed loop; an idle machine stays below 1.1
# A gradient computes its value first. Clocks and caches leave a little room.
LEAST_GRADIENT_OVER_FORWARD = 0.95
LOOPS = 2000


def fixed_loop() -> int:
    """Work that is the same on every call and touches no memory: some 50 µs of a core."""
    total = 0
    for i in range(LOOPS):
        total += i & 3
    return total


CALIBRATION = Contender("calibration", fixed_loop)


@dataclass
class Noise:
    """What disturbed a measurement: the seconds of processor time and on the clock, and the spread of the fixed loop."""

    processor: float = 0.0
    wall: float = 0.0
    spread: float = 1.0

    @contextmanager
    def watch(self) -> Iterator[None]:
        """A scope in which this process should be at work all the time."""
        wall, processor = time.perf_counter(), time.process_time()
        yield
        self.processor += time.process_time() - processor
        self.wall += time.perf_counter() - wall

    @property
    def share(self) -> float:
        """The share of a core that this process got where it was watched."""
        return self.processor / self.wall if self.wall else 1.0

    def judge(self, calibration: Rounds) -> None:
        """Take the spread from the rounds of the fixed loop."""
        self.spread = float(calibration.statistics.median / calibration.statistics.min)

    @property
    def doubt(self) -> str:
        """Why no time of this measurement can be trusted; empty where it can."""
        if self.share >= LEAST_SHARE and self.spread <= MOST_SPREAD:
            return ""
        return (
            f"the machine was busy: this process had {100 * self.share:.0f} % of a core, "
            f"and a fixed loop took {self.spread:.2f} times its least time"
        )


def impossible(mine: Rounds, forward: Rounds | None, to_hand: Ratio, *, computes_with_numpy: bool) -> str:
    """Why a figure cannot be true, however quiet the machine was; empty where it can.

    `forward` are the rounds of the same program's value, where `mine` are those of its gradient.
    """
    if forward is not None and mine.statistics.min < LEAST_GRADIENT_OVER_FORWARD * forward.statistics.min:
        return "a gradient that takes less time than its own value"
    if computes_with_numpy and to_hand.high < 1.0:
        return "an engine that computes with NumPy, yet faster than NumPy by hand"
    return ""
