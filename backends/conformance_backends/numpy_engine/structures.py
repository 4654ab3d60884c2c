"""Operands that are structures: lists, tuples (named ones too) and dicts of arrays, nested.

A network's weights are one such structure. To differentiate with respect to it, take it apart into
its arrays, compute their gradients, and put those together in the same way.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any


def arrays_in(structure: Any) -> list[Any]:
    """The arrays of a structure, from left to right; anything that is no list, tuple or dict is an array."""
    if isinstance(structure, dict):
        structure = tuple(structure.values())
    if not isinstance(structure, (list, tuple)):
        return [structure]
    return [array for part in structure for array in arrays_in(part)]


def rebuilt(structure: Any, arrays: Iterator[Any]) -> Any:
    """A structure of the same form, filled with `arrays` from left to right."""
    if isinstance(structure, dict):
        return {key: rebuilt(part, arrays) for key, part in structure.items()}
    if isinstance(structure, (list, tuple)):
        parts = [rebuilt(part, arrays) for part in structure]
        return type(structure)(*parts) if hasattr(structure, "_fields") else type(structure)(parts)
    return next(arrays)
