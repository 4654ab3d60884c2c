"""Functions of ours that arrays may override, as they override NumPy's own.

A rule is written in plain NumPy and also runs on tensors, because NumPy hands each of its
functions to its operands first (NEP 18). Where a rule needs a function NumPy lacks, this
decorator gives it the same behaviour.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, TypeVar

import numpy as np

F = TypeVar("F", bound=Callable[..., Any])


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


def _flat(operands: tuple[Any, ...]) -> list[Any]:
    return [
        item
        for operand in operands
        for item in (operand if isinstance(operand, (list, tuple)) else (operand,))
    ]
