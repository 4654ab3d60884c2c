"""A collector, which keeps what is put into it within a block."""

from __future__ import annotations

from contextvars import ContextVar
from typing import Generic, TypeVar

T = TypeVar("T")


class Collector(Generic[T]):
    """Values that arise deep in a call, kept for a caller far above.

    Blocks may be nested: a value goes to the innermost block; outside of all blocks it is dropped.
    """

    def __init__(self, name: str) -> None:
        self._open = ContextVar[list[T] | None](name, default=None)

    def __call__(self) -> Block[T]:
        """A block, within which every value that is put in is appended to the list that it gives."""
        return Block(self._open)

    def put(self, value: T) -> None:
        """Keep a value, within a block."""
        if (kept := self._open.get()) is not None:
            kept.append(value)

    def clear(self) -> None:
        """Drop the values that the innermost block has kept so far."""
        if (kept := self._open.get()) is not None:
            kept.clear()


class Block(Generic[T]):
    """One block of a collector. A class, since a generator costs as much as a small question: every one opens a block."""

    def __init__(self, innermost: ContextVar[list[T] | None]) -> None:
        self._innermost = innermost

    def __enter__(self) -> list[T]:
        kept: list[T] = []
        self._token = self._innermost.set(kept)
        return kept

    def __exit__(self, *_: object) -> None:
        self._innermost.reset(self._token)
