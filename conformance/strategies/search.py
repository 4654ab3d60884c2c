"""The search for the smallest failing question, for a time that does not depend on the engine."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic, TypeVar

PATIENCE = 5.0  # seconds after which the smallest question found so far will do
LONGEST = 30.0  # seconds after which a process is ended that is still at a smaller question or at the script

T = TypeVar("T")


class TimeIsUp(BaseException):
    """Raised to leave the search; Hypothesis would take an Exception for a failure, and go on."""


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
) -> Found[T]:
    """The smallest question.

    Args:
        shrink: tries smaller questions, each smaller than the last that failed, by a predicate.
        failure_of: how a question fails, if that is the failure at hand.
        took: seconds that the failing question took: where one alone takes longer than the search may, there is none.
    """
    if took > PATIENCE:
        return Found(unshrunk=f"no smaller one was tried, since this one took {took:.0f} s")
    found, until = Found[T](), time.monotonic() + PATIENCE

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
        found.unshrunk = f"smaller ones were tried for {PATIENCE:g} s"
    return found
