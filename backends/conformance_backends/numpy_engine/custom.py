"""Custom rules: operations whose VJP, or JVP, the user writes."""

from __future__ import annotations

import weakref
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from conformance_backends.numpy_engine.graph import Node, is_recording
from conformance_backends.numpy_engine.rule_values import complete, fitted
from conformance_backends.numpy_engine.tensor import Tensor, detach, edge_of, remade, wrap
from conformance_backends.numpy_engine.transforms import vjp


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
        return output

    return operation


def custom_by_operand(forward: Callable[..., Any], backward: Callable[..., Any]) -> Callable[..., Any]:
    """Make an operation of one or several outputs, whose VJP the user writes for each operand.

    Args:
        forward: takes the operands' plain arrays, returns an array or a tuple of them.
        backward: takes the number of an operand, the cotangents of all outputs (zeros for one that is not used), the
            operands and the outputs (plain arrays; tensors where the backward pass itself is differentiated), and
            returns the cotangent of that operand. It is called for operands that need a gradient, for no others.

    Returns:
        A function of tensors, which returns as many as `forward` does.

    Raises (during the backward pass):
        ValueError: if `backward` returns a cotangent of another shape than its operand.
    """

    def operation(*operands: Any) -> Any:
        values = [np.asarray(detach(operand)) for operand in operands]
        computed = forward(*values)
        edges = [edge_of(operand) for operand in operands]
        if not is_recording() or not any(edges):
            return wrap(computed, None)
        saved = tuple(map(np.asarray, computed)) if isinstance(computed, tuple) else np.asarray(computed)

        def pullback(cotangents: Sequence[Any]) -> list[Any]:
            xs = remade(values, edges) if is_recording() else values
            outputs = wrap(saved, made()) if is_recording() else saved
            given = [_tupled(complete(cotangents, saved)), tuple(xs), _tupled(outputs)]
            return [
                _conforming(i, backward(i, *given), x) if edge else None
                for i, (x, edge) in enumerate(zip(values, edges, strict=True))
            ]

        node = Node(getattr(forward, "__name__", "custom"), edges, pullback)
        made = weakref.ref(node)  # weak: the node holds its pullback, and a cycle would keep both alive
        return wrap(saved, node)

    return operation


def custom_forward(forward: Callable[..., Any], pushforward: Callable[..., Any]) -> Callable[..., Any]:
    """Make an operation from its value and its JVP. Its VJP is not written: it is the transpose of the JVP.

    At fixed operands the tangents of the outputs are linear in those of the operands, t ↦ Jt; the pullback of that
    linear map is g ↦ Jᵀg, the VJP.

    Args:
        forward: takes the operands' plain arrays, returns an array or a tuple of them.
        pushforward: takes a tuple of operands and one of their tangents (tensors, or plain arrays), returns the tangent
            of each output; None means zero.

    Returns:
        A function of tensors, which returns as many as `forward` does.

    Raises (when it is differentiated):
        ValueError: if `pushforward` returns another number of tangents than there are outputs, or one of another shape.
    """

    def operation(*operands: Any) -> Any:
        values = [np.asarray(detach(operand)) for operand in operands]
        computed = forward(*values)
        edges = [edge_of(operand) for operand in operands]
        if not is_recording() or not any(edges):
            return wrap(computed, None)
        outputs = tuple(map(np.asarray, computed)) if isinstance(computed, tuple) else np.asarray(computed)

        def pullback(cotangents: Sequence[Any]) -> list[Any]:
            xs = tuple(remade(values, edges) if is_recording() else values)
            zeros = [np.zeros_like(x) for x in values]
            _, transposed = vjp(lambda *ts: _conforming_tangents(pushforward(xs, ts), outputs), *zeros)
            pulled = transposed(*_tupled(complete(cotangents, outputs)))
            return [_conforming(i, g, x) for i, (g, x) in enumerate(zip(pulled, values, strict=True))]

        return wrap(outputs, Node(getattr(forward, "__name__", "custom"), edges, pullback))

    return operation


def _conforming_tangents(tangents: Any, outputs: Any) -> tuple[Any, ...]:
    """One tangent for each output, checked to have its shape."""
    given, made = _tupled(tangents), _tupled(outputs)
    if len(given) != len(made):
        raise ValueError(f"the rule returned {len(given)} tangents for {len(made)} outputs")
    for index, (t, z) in enumerate(zip(given, made, strict=True)):
        if t is not None and np.shape(t) != z.shape:
            raise ValueError(f"the rule's tangent {index} has shape {np.shape(t)}, its output {z.shape}")
    return tuple(
        Tensor(np.zeros_like(z)) if t is None else t if isinstance(t, Tensor) else Tensor(t)
        for t, z in zip(given, made, strict=True)
    )


def _tupled(outputs: Any) -> tuple[Any, ...]:
    return outputs if isinstance(outputs, tuple) else (outputs,)


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
