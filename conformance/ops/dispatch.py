"""Functions of ours that arrays may override, as they override NumPy's own.

A rule is written in plain NumPy and also runs on tensors, because NumPy hands each of its
functions to its operands first (NEP 18). Where a rule needs a function NumPy lacks, this
decorator gives it the same behaviour.
"""

from __future__ import annotations

import contextlib
import functools
from collections.abc import Callable, Iterator
from contextvars import ContextVar
from typing import Any, TypeVar

import numpy as np

F = TypeVar("F", bound=Callable[..., Any])
_found: ContextVar[dict[Any, Any] | None] = ContextVar("_found", default=None)


def dispatched(function: F) -> F:
    """Let `function` be overridden by its operands' `__array_function__`, like NumPy's own."""

    @functools.wraps(function)
    def public(*operands: Any, **parameters: Any) -> Any:
        for operand in _flat(operands):
            override = getattr(type(operand), "__array_function__", None)
            if override is not None and not isinstance(operand, np.ndarray):
                return override(operand, public, (type(operand),), operands, parameters)
        return function(*operands, **parameters)

    return public  # type: ignore[return-value]  # the wrapper keeps the signature


def shared(function: F) -> F:
    """Within `sharing`, compute `function` of the same arrays once: what the rules of an op for its operands have in common.

    Elsewhere it is computed anew each time, so that nothing outlives its call.
    """

    @functools.wraps(function)
    def once(*operands: Any) -> Any:
        found = _found.get()
        if found is None:
            return function(*operands)
        key = (
            function,
            *map(id, operands),
        )  # of arrays that stand beside what was found, so that no other has their ids
        if key not in found:
            found[key] = operands, function(*operands)
        return found[key][1]

    return once  # type: ignore[return-value]  # the wrapper keeps the signature


@contextlib.contextmanager
def sharing() -> Iterator[None]:
    """The rules of one op, at the same operands and cotangent, are asked in this scope."""
    before = _found.set({})
    try:
        yield
    finally:
        _found.reset(before)


def _flat(operands: tuple[Any, ...]) -> list[Any]:
    return [
        item
        for operand in operands
        for item in (operand if isinstance(operand, (list, tuple)) else (operand,))
    ]
