"""Custom rules: operations whose VJP the user writes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from conformance_backends.numpy_engine.graph import Node, is_recording
from conformance_backends.numpy_engine.rule_values import fitted
from conformance_backends.numpy_engine.tensor import Tensor, detach, edge_of, remade


def custom(forward: Callable[..., Any], backward: Callable[..., Sequence[Any]]) -> Callable[..., Tensor]:
    """Make an operation from its value and its VJP.

    Args:
        forward: takes the operands' plain arrays, returns an array.
        backward: takes the upstream cotangent and the operands (plain arrays; tensors where the
            backward pass itself is differentiated), returns one cotangent per operand; None means zero, and an operand
            that needs no gradient may get one anyway.

    Returns:
        A function of tensors.

    Raises (during the backward pass):
        ValueError: if `backward` returns another number of cotangents than there are operands, or
            one of another shape than its operand.
    """

    def operation(*operands: Any) -> Tensor:
        values = [np.asarray(detach(operand)) for operand in operands]
        output = Tensor(forward(*values))
        edges = [edge_of(operand) for operand in operands]
        if is_recording() and any(edges):

            def pullback(cotangents: Sequence[Any]) -> list[Any]:
                xs = remade(values, edges) if is_recording() else values
                return _checked(backward(cotangents[0], *xs), values)

            output.edge = (Node(getattr(forward, "__name__", "custom"), edges, pullback), 0)
            output.requires_grad = True
        return output

    return operation


def _checked(cotangents: Any, operands: Sequence[np.ndarray[Any, Any]]) -> list[Any]:
    given = list(cotangents) if isinstance(cotangents, (list, tuple)) else [cotangents]
    if len(given) != len(operands):
        raise ValueError(f"the rule returned {len(given)} cotangents for {len(operands)} operands")
    return [_conforming(index, g, x) for index, (g, x) in enumerate(zip(given, operands, strict=True))]


def _conforming(index: int, cotangent: Any, operand: np.ndarray[Any, Any]) -> Any:
    """One cotangent, checked to have its operand's shape, in its operand's dtype."""
    if cotangent is None:
        return None
    if np.shape(cotangent) != operand.shape:
        raise ValueError(
            f"the rule's cotangent {index} has shape {np.shape(cotangent)}, its operand {operand.shape}"
        )
    is_traced = isinstance(cotangent, Tensor) and is_recording()
    return fitted(cotangent if is_traced else np.asarray(detach(cotangent)), operand)
