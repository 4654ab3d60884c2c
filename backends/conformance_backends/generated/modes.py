"""The reference engine, which knows inside which of its transforms it is at work."""

from __future__ import annotations

import contextlib
import contextvars
from collections.abc import Iterator
from typing import Any

from conformance.backend import Function
from conformance_backends.mutants.mutant import WithTransforms

_modes = contextvars.ContextVar[frozenset[str]]("modes", default=frozenset())


def modes_at_work() -> frozenset[str]:
    """The transforms inside which this is called: "jit", "vmap", "checkpoint"."""
    return _modes.get()


class WithModes(WithTransforms):
    """The reference engine, which notes what it is inside of."""

    def compiled(self, function: Function) -> Function:
        """The function itself."""
        return _inside("jit", super().compiled(function))

    def vectorized(self, function: Function) -> Function:
        """The function row by row."""
        return _inside("vmap", super().vectorized(function))

    def checkpoint(self, function: Function) -> Function:
        """The engine's checkpoint; in the backward pass the function is called again."""
        return super().checkpoint(_inside("checkpoint", function))


def _inside(mode: str, function: Function) -> Function:
    def call(*operands: Any) -> Any:
        with _mode(mode):
            return function(*operands)

    return call


@contextlib.contextmanager
def _mode(name: str) -> Iterator[None]:
    token = _modes.set(_modes.get() | {name})
    try:
        yield
    finally:
        _modes.reset(token)
