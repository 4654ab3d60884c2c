"""Hooks for cotangents during the backward pass.

`grad` holds the gradients of leaves only. A hook receives (and may replace) the cotangent of any
value; `anomaly` finds the op whose rule made a NaN.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from conformance_backends.numpy_engine.graph import Hook, is_recording, looks_for_nan
from conformance_backends.numpy_engine.tensor import Tensor, detach, edge_of


def hook(tensor: Tensor, seen: Hook) -> Callable[[], None]:
    """Have `seen` called with the cotangent of a tensor, once per backward pass, after all contributions are summed.

    Several hooks are called in the order of their registration, each with the result of the one before.

    Args:
        tensor: a leaf, or a result of an operation.
        seen: takes the cotangent; returns None, or the replacement.

    Returns:
        A function that removes the hook.

    Raises:
        ValueError: if the tensor is a constant, or (during the backward pass) if a replacement has another shape.
    """
    edge = edge_of(tensor)
    if edge is None:
        raise ValueError("a constant receives no cotangent")
    node, index = edge

    def show(cotangent: Any) -> Any:
        replacement = seen(cotangent)
        if replacement is not None and np.shape(replacement) != np.shape(cotangent):
            raise ValueError(f"a hook replaced {np.shape(cotangent)} by {np.shape(replacement)}")
        return replacement if is_recording() else detach(replacement)

    hooked = (index, show)
    node.hooks += (hooked,)

    def remove() -> None:
        node.hooks = tuple(other for other in node.hooks if other is not hooked)

    return remove


@contextlib.contextmanager
def anomaly() -> Iterator[None]:
    """A scope in which a NaN in the backward pass raises FloatingPointError, naming the op whose rule made it.

    NaNs spread: after one is made, every gradient that depends on it is NaN too.
    In this scope the backward pass checks every cotangent, which is why it is not always on.
    """
    before = looks_for_nan.set(True)
    try:
        yield
    finally:
        looks_for_nan.reset(before)
