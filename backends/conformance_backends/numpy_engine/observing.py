"""Looking at cotangents on their way back.

A gradient that is wrong went wrong somewhere, and `grad` shows only where it ended. A hook shows (and
may replace) the cotangent of any value on the way; `anomaly` finds the op whose rule made a NaN.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from conformance_backends.numpy_engine.graph import Hook, is_recording, looks_for_nan
from conformance_backends.numpy_engine.tensor import Tensor, detach, edge_of


def hook(tensor: Tensor, seen: Hook) -> Callable[[], None]:
    """Have `seen` called with the cotangent of a tensor, once per walk, when all of it has arrived.

    Several hooks are called in the order in which they came, each with what the one before returned.

    Args:
        tensor: a leaf, or a result of an operation.
        seen: takes the cotangent; returns None, or what shall take its place.

    Returns:
        A function that removes the hook.

    Raises:
        ValueError: if the tensor is a constant, or (during the walk) if a replacement has another shape.
    """
    edge = edge_of(tensor)
    if edge is None:
        raise ValueError("nothing flows back to a constant")
    node, index = edge
    if tensor.is_leaf:
        tensor._accumulation = lambda: node  # held, since it now has something to remember

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
    """A scope in which a NaN on the way back raises FloatingPointError, naming the op whose rule made it.

    NaNs spread: once one is made, every gradient behind it is NaN, and nothing tells where it began.
    In this scope the walk looks at every cotangent, which is why it is not always on.
    """
    before = looks_for_nan.set(True)
    try:
        yield
    finally:
        looks_for_nan.reset(before)
