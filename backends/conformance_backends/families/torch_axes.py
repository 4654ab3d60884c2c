"""Axes as the catalogue names them, for functions of torch that take one at a time."""

from __future__ import annotations

from typing import Any

import torch


def from_front(axis: int, ndim: int) -> int:
    """An axis counted from the front; one out of range stays out of range, so that torch refuses it."""
    return axis + ndim if axis < 0 else axis


def expand_dims(x: Any, axis: Any) -> Any:
    """`x` with new axes; torch inserts one at a time."""
    axes = (axis,) if isinstance(axis, int) else axis
    for place in sorted(from_front(a, x.ndim + len(axes)) for a in axes):
        x = torch.unsqueeze(x, place)
    return x


def over_merged(reduce: Any, x: Any, axis: Any, keepdims: Any) -> Any:
    """A reduction that torch has over one axis only, over several: they are merged into one."""
    given = range(x.ndim) if axis is None else (axis,) if isinstance(axis, int) else axis
    axes = tuple(sorted(from_front(a, x.ndim) for a in given))
    behind = torch.movedim(x, axes, tuple(range(-len(axes), 0)))
    result = reduce(behind.flatten(x.ndim - len(axes)) if axes else x[..., None], dim=-1)
    return expand_dims(result, axes) if keepdims else result
