"""A collector: within a block, what is put into it is kept, for whoever opened the block."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from contextvars import ContextVar
from typing import Generic, TypeVar

T = TypeVar("T")


class Collector(Generic[T]):
    """Things that turn up deep in a call, to be looked at by a caller far above.

    Blocks may stand within each other: a thing goes to the innermost, and outside of all nowhere.
    """

    def __init__(self, name: str) -> None:
        self._open = ContextVar[list[T] | None](name, default=None)

    @contextlib.contextmanager
    def __call__(self) -> Iterator[list[T]]:
        """Within the block, everything that is put in is also in this list."""
        kept: list[T] = []
        token = self._open.set(kept)
        try:
            yield kept
        finally:
            self._open.reset(token)

    def put(self, thing: T) -> None:
        """Keep a thing, where anybody collects."""
        if (kept := self._open.get()) is not None:
            kept.append(thing)

    def clear(self) -> None:
        """Drop what the innermost block has kept so far."""
        if (kept := self._open.get()) is not None:
            kept.clear()
