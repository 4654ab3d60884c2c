"""What is done on purpose when a history is played: calls in other threads, and calls that raise."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

from conformance.backend import Backend
from conformance.checks.engine_calls import IntentionalError
from conformance.errors import ConformanceError, is_ctrl_c


def _raises(g: Any, *operands: Any) -> Any:
    raise IntentionalError("a rule that raises on purpose")


def broken(engine: Backend) -> Callable[[Any], Any]:
    """x + x, by a rule that raises on the way back."""
    return engine.custom(lambda a: a + a, _raises)


def failure_of(call: Callable[[], Any]) -> BaseException | None:
    """What the engine raises; what we raise ourselves goes on, and so does the want of memory, which refuses nothing."""
    try:
        call()
    except (ConformanceError, MemoryError):
        raise
    except BaseException as failure:
        if is_ctrl_c(failure):
            raise
        return failure
    return None


def elsewhere(call: Callable[[], Any]) -> Any:
    """The result of a call in a thread of its own, which ends before anything else happens."""
    results: list[Any] = []
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
