"""A collector, which keeps what is put into it within a block."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from contextvars import ContextVar
from typing import Generic, TypeVar

T = TypeVar("T")


class Collector(Generic[T]):
    """Values that arise deep in a call, kept for a caller far above.

    Blocks may be nested: a value goes to the innermost block; outside of all blocks it is dropped.
    """

    def __init__(self, name: str) -> None:
        self._open = ContextVar[list[T] | None](name, default=None)

    @contextlib.contextmanager
    def __call__(self) -> Iterator[list[T]]:
        """A block, within which every value that is put in is appended to this list."""
        kept: list[T] = []
        token = self._open.set(kept)
        try:
            yield kept
        finally:
            self._open.reset(token)

    def put(self, value: T) -> None:
        """Keep a value, within a block."""
        if (kept := self._open.get()) is not None:
            kept.append(value)

    def clear(self) -> None:
        """Drop the values that the innermost block has kept so far."""
        if (kept := self._open.get()) is not None:
            kept.clear()
