"""The time that a run may take, by the monotonic clock, which all processes of a machine share."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

TIMEOUT = 300.0  # seconds that a group of questions may take where nobody says otherwise
# Of a budget one question may take a thirtieth, or so many seconds: a first compilation takes as long.
PART, LEAST = 30, 30.0
# Questions about one subject without an answer in time, before its others are given up.
LATE, LATE_IN_BUDGET = 3, 2
OVERTIME = (
    15.0  # seconds that a question and its evidence may take beyond the end, before its process is ended
)


@dataclass(frozen=True)
class Budget:
    """The time until which a run may go on.

    Attributes:
        seconds: how long it may take.
        until: when it ends; None without an end.
    """

    seconds: float = 0.0
    until: float | None = None

    @staticmethod
    def of(seconds: float) -> Budget:
        """A budget of so many seconds from now; without an end for zero."""
        return Budget(seconds, time.monotonic() + seconds) if seconds else Budget()

    def shares(self, parts: Sequence[int]) -> Iterator[float | None]:
        """When each of some parts must end: what is left is divided by their sizes, and an early end serves the others."""
        for number, part in enumerate(parts):
            if self.until is None:
                yield None
                continue
            now = time.monotonic()
            yield now + max(0.0, self.until - now) * part / max(1, sum(parts[number:]))


@dataclass(frozen=True)
class Limit:
    """How long a worker may take before it is ended.

    Attributes:
        group: seconds that a group of questions may take.
        question: seconds that one question of it may take, where a budget shortens that; zero where it may take the group's.
    """

    group: float = TIMEOUT
    question: float = 0.0

    @staticmethod
    def of(timeout: float, budget: float) -> Limit:
        """The limit that was given; without one, that of a budget: one hang must not take most of it.

        Groups keep the usual limit then: many questions of a slow engine are no hang.
        """
        question = max(LEAST, budget / PART)
        return Limit(timeout or TIMEOUT, question if budget and not timeout and question < TIMEOUT else 0.0)

    @property
    def one(self) -> float:
        """The seconds after which one question has no answer."""
        return self.question or self.group

    @property
    def late(self) -> int:
        """How many questions about a subject have no answer in time before its others are given up."""
        return LATE_IN_BUDGET if self.question else LATE

    def exceeded(self, *, in_question: bool) -> str:
        """What a time-out says: the limit, and the way out where a budget shortened it and the engine may be only slow."""
        if not (self.question and in_question):
            return f"no answer within {self.group:g} s"
        return (
            f"no answer within {self.question:g} s, the limit of one question that --budget sets\n"
            f"an engine that is slow, and does not hang, needs a longer one, such as --timeout {TIMEOUT:g}"
        )


def is_over(until: float | None) -> bool:
    """Whether a time has come; None never does."""
    return until is not None and time.monotonic() >= until
