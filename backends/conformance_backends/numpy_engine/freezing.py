"""Leaves that are frozen, and thawed."""

from __future__ import annotations

from conformance_backends.numpy_engine.graph import Accumulation
from conformance_backends.numpy_engine.tensor import Tensor


def needs_gradient(leaf: Tensor, flag: bool) -> None:
    """Let a leaf need a gradient from now on, or none.

    A leaf is what its edge leads to, so that the edge is all that changes: its stored gradient stays, and a graph that was
    recorded before has edges of its own.

    Raises:
        RuntimeError: for a result, whose edge is its history; a constant with its value is `result.detach()`.
        TypeError: if a gradient is required of integers or truth values.
    """
    if not leaf.is_leaf:
        raise RuntimeError("only a leaf can be frozen: detach a result to have it as a constant")
    if not flag:
        leaf.edge = None
    elif leaf.edge is None:
        Tensor(leaf, requires_grad=True)  # raises for a type that has no gradients
        leaf.edge = (Accumulation(leaf), 0)
