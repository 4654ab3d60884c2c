"""The time that a run may take, by the monotonic clock, which all processes of a machine share."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

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


def is_over(until: float | None) -> bool:
    """Whether a time has come; None never does."""
    return until is not None and time.monotonic() >= until
