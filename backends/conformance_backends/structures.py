"""Nested structures of arrays, as the call of an engine takes them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


def with_arrays(array: Callable[[Any], Any], structure: Any) -> Any:
    """The structure with `array` of each of its arrays; the keys of a dictionary stay in their order.

    An engine's own function for it may sort them, so that the gradient would never meet the order that was given.
    """
    if isinstance(structure, dict):
        return {key: with_arrays(array, part) for key, part in structure.items()}
    if isinstance(structure, (list, tuple)):
        parts = [with_arrays(array, part) for part in structure]
        return structure._make(parts) if hasattr(structure, "_make") else type(structure)(parts)
    return array(structure)
