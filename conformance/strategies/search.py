"""The search for the smallest failing question, for a time that does not depend on the engine."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic, TypeVar

PATIENCE = 5.0  # seconds after which the smallest question found so far will do
SHARE = 0.25  # of the time that has an end may go into smaller questions
LONGEST = 30.0  # seconds after which a process is ended that is still at a smaller question or at the script

T = TypeVar("T")


class TimeIsUp(BaseException):
    """Raised to leave the search; Hypothesis would take an Exception for a failure, and go on."""


class Patience:
    """How long smaller questions may be tried: some seconds each time, and of a time that has an end a quarter altogether.

    Otherwise an engine with many failures would be asked few questions in that time.
    """

    def __init__(self, *, has_end: bool = False) -> None:
        self.has_end, self._began, self._spent = has_end, time.monotonic(), 0.0

    @property
    def seconds(self) -> float:
        """What is left for the next search."""
        if not self.has_end:
            return PATIENCE
        return min(PATIENCE, SHARE * (time.monotonic() - self._began) - self._spent)

    def spend(self, seconds: float) -> None:
        """Note how long a search took."""
        self._spent += seconds


@dataclass
class Found(Generic[T]):
    """How far the search came.

    Attributes:
        question: the smallest question that fails alike; None where none is smaller.
        failure: how it fails.
        unshrunk: why smaller questions were not all tried; empty where they were.
    """

    question: T | None = None
    failure: BaseException | None = None
    unshrunk: str = ""


def search(
    shrink: Callable[[Callable[[T], bool]], object],
    failure_of: Callable[[T], BaseException | None],
    took: float,
    patience: Patience,
) -> Found[T]:
    """The smallest question.

    Args:
        shrink: tries smaller questions, each smaller than the last that failed, by a predicate.
        failure_of: how a question fails, if that is the failure at hand.
        took: seconds that the failing question took: where one alone takes longer than the search may, there is none.
        patience: how long the search may take.
    """
    if took > PATIENCE:
        return Found(unshrunk=f"no smaller one was tried, since this one took {took:.0f} s")
    if took > patience.seconds:
        return Found(unshrunk=f"no smaller one was tried: {SHARE:.0%} of the time so far went into that")
    found, began = Found[T](), time.monotonic()
    until = began + patience.seconds

    def is_failing(candidate: T) -> bool:
        if time.monotonic() > until:
            raise TimeIsUp
        failure = failure_of(candidate)
        if failure is not None:
            found.question, found.failure = candidate, failure
        return failure is not None

    try:
        shrink(is_failing)
    except TimeIsUp:
        found.unshrunk = f"smaller ones were tried for {until - began:.2g} s"
    patience.spend(time.monotonic() - began)
    return found
