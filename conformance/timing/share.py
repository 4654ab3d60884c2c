"""The engine's share: how much of a run's time passes inside the engine's own calls."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from typing import Any

from conformance.backend import Backend

CALLS = (
    "array", "numpy", "vjp", "gradient", "forward", "finish", "memory", "detach", "graph",
    "leaf", "backward", "grad", "clear",
)  # fmt: skip
CALLS_THAT_RETURN_CALLS = ("op", "custom", "pullback")


class EngineClock:
    """Seconds spent inside the engine; a call within a call is counted once."""

    def __init__(self) -> None:
        self.seconds = 0.0
        self.is_running = False

    def timed(self, function: Callable[..., Any]) -> Callable[..., Any]:
        """`function`, on this clock."""

        @wraps(function)
        def on_the_clock(*arguments: Any, **keywords: Any) -> Any:
            if self.is_running:
                return function(*arguments, **keywords)
            self.is_running, start = True, time.perf_counter()
            try:
                return function(*arguments, **keywords)
            finally:
                self.seconds += time.perf_counter() - start
                self.is_running = False

        return on_the_clock

    def timed_twice(self, function: Callable[..., Any]) -> Callable[..., Any]:
        """`function` on this clock, and whatever functions it returns."""
        outer = self.timed(function)

        @wraps(function)
        def on_the_clock(*arguments: Any, **keywords: Any) -> Any:
            result = outer(*arguments, **keywords)
            if isinstance(result, tuple):
                return tuple(self.timed(part) if callable(part) else part for part in result)
            return self.timed(result) if callable(result) else result

        return on_the_clock


@contextmanager
def engine_clock(backend: Backend) -> Iterator[EngineClock]:
    """A scope in which a clock counts the time inside the methods of `backend` and its ops.

    The interpreter's way through a program handed to `vjp` counts as the engine's: an engine that
    traces or compiles cannot be told from what it traces.
    """
    clock = EngineClock()
    present = [(name, clock.timed) for name in CALLS] + [
        (name, clock.timed_twice) for name in CALLS_THAT_RETURN_CALLS
    ]
    wrapped = {name: wrap(getattr(backend, name)) for name, wrap in present if hasattr(backend, name)}
    before = {name: vars(backend)[name] for name in wrapped if name in vars(backend)}
    vars(backend).update(wrapped)
    try:
        yield clock
    finally:
        for name in wrapped:
            del vars(backend)[name]
        vars(backend).update(before)
