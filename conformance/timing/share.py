"""The engine's share: how much of a run's time passes inside the engine's own calls."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import wraps
from typing import Any

from conformance.backend import Backend, Trace

Call = Callable[..., Any]

CALLS = (
    "array", "numpy", "vjp", "trace", "gradient", "forward", "finish", "memory", "detach", "graph",
    "op", "custom", "leaf", "backward", "grad", "clear", "pullback",
)  # fmt: skip


class EngineClock:
    """Seconds spent inside the engine; a call within a call is counted once."""

    def __init__(self) -> None:
        self.seconds = 0.0
        self.is_running = False

    def timed(self, function: Call) -> Call:
        """`function` on this clock, and whatever calls it returns."""

        @wraps(function)
        def on_the_clock(*arguments: Any, **keywords: Any) -> Any:
            if self.is_running:
                return function(*arguments, **keywords)
            self.is_running, start = True, time.perf_counter()
            try:
                return self.returned(function(*arguments, **keywords))
            finally:
                self.seconds += time.perf_counter() - start
                self.is_running = False

        return on_the_clock

    def returned(self, result: Any) -> Any:
        """What a method returned, with the calls in it (an op, a pullback, a trace's pull) on this clock."""
        if isinstance(result, Trace):
            return replace(result, pull=self.timed(result.pull))
        if isinstance(result, tuple):
            return tuple(self.timed(part) if callable(part) else part for part in result)
        return self.timed(result) if callable(result) else result


@contextmanager
def engine_clock(backend: Backend) -> Iterator[EngineClock]:
    """A scope in which a clock counts the time inside the methods of `backend` and its ops.

    The way through a program handed to `vjp` counts as the engine's: an engine that traces or
    compiles cannot be told from what it traces.
    """
    clock = EngineClock()
    attributes = vars(backend)
    replaced: dict[str, Any] = {
        name: clock.timed(getattr(backend, name)) for name in CALLS if hasattr(backend, name)
    }
    # The calls a backend remembers hold its ops: those of this scope are on the clock, others are not.
    replaced["_calls"] = {}
    before = {name: attributes[name] for name in replaced if name in attributes}
    attributes.update(replaced)
    try:
        yield clock
    finally:
        for name in replaced:
            del attributes[name]
        attributes.update(before)
