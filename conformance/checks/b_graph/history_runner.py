"""How the runners of histories catch exceptions, or call in another thread."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import TypeVar

from conformance.errors import ConformanceError, is_ctrl_c

T = TypeVar("T")


def failure_of(call: Callable[[], object]) -> BaseException | None:
    """The exception of the engine in a call; None where the call returns.

    Raises our own exceptions again, and MemoryError, which is no refusal.
    """
    try:
        call()
    except (ConformanceError, MemoryError):
        raise
    except BaseException as failure:
        if is_ctrl_c(failure):
            raise
        return failure
    return None


def in_other_thread(call: Callable[[], T]) -> T:
    """The result of a call in a new thread, which ends before this function returns."""
    results: list[T] = []
    failures: list[BaseException] = []

    def run() -> None:
        try:
            results.append(call())
        except BaseException as failure:
            failures.append(failure)

    thread = threading.Thread(target=run)
    thread.start()
    thread.join()
    if failures:
        raise failures[0]
    return results[0]
