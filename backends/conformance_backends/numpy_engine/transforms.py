"""Gradients as functions of functions.

`vjp` is the one primitive: run the function on fresh leaves, keep the graph, and walk back whenever
asked. A gradient is a VJP seeded with 1. A JVP is the transpose of a VJP: for fixed x the map
u ↦ Jᵀu is linear, and transposing it once more gives t ↦ Jt, so forward mode needs no rules of its own.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from conformance_backends.numpy_engine.graph import Node, set_recording, walk_back
from conformance_backends.numpy_engine.tensor import Tensor, edge_of, seed

Function = Callable[..., Any]
Gradients = tuple[Tensor | None, ...]


def vjp(function: Function, *operands: Any) -> tuple[Any, Callable[..., Gradients]]:
    """The value of a function, and its pullback.

    Args:
        function: takes tensors, returns a tensor or a tuple of them.
        operands: where to evaluate it; a tensor's own history is kept, so that VJPs nest.

    Returns:
        The output, and a function from one cotangent per output (None for zero) to one per operand
        (None where the output does not depend on it). The pullback may be called any number of
        times, and what it returns can itself be differentiated.
    """
    variables = [_variable(operand) for operand in operands]
    ends = [edge[0] for variable in variables if (edge := edge_of(variable))]
    outputs = function(*variables)

    def pullback(*cotangents: Any) -> Gradients:
        seeds = [
            (edge, seed(z, g))
            for z, g in zip(_as_tuple(outputs), cotangents, strict=True)
            if g is not None and (edge := edge_of(z)) is not None
        ]
        with set_recording(True):
            ended = walk_back(seeds, ends)
        return tuple(ended[end][0] if ended.get(end) else None for end in ends)

    return outputs, pullback


def value_and_grad(function: Function) -> Callable[..., tuple[Any, Gradients]]:
    """A function that returns the scalar value of `function` and the gradient of every operand.

    Raises (when called):
        ValueError: if the value is not a scalar: its gradient would need an upstream cotangent.
    """

    def evaluate(*operands: Any) -> tuple[Any, Gradients]:
        output, pullback = vjp(function, *operands)
        return output, pullback(seed(output, None))

    return evaluate


def grad(function: Function) -> Callable[..., Gradients]:
    """A function that returns the gradient of a scalar function, one entry per operand."""
    evaluate = value_and_grad(function)
    return lambda *operands: evaluate(*operands)[1]


def jvp(function: Function, operands: tuple[Any, ...], tangents: tuple[Any, ...]) -> tuple[Any, Any]:
    """The value of a function of one output, and how it moves when its operands move along `tangents`."""
    output, pullback = vjp(function, *operands)
    moved = [
        i for i, pulled in enumerate(pullback(np.zeros(output.shape, output.dtype))) if pulled is not None
    ]

    def pulled_back(cotangent: Any) -> tuple[Any, ...]:
        pulled = pullback(cotangent)
        return tuple(pulled[i] for i in moved)

    _, transposed = vjp(pulled_back, np.zeros(output.shape, output.dtype))
    (tangent,) = transposed(*(tangents[i] for i in moved))
    return output, Tensor(np.zeros_like(output.value)) if tangent is None else tangent


def hessian(function: Function, operand: Any) -> Tensor:
    """The matrix of second derivatives of a scalar function, of shape `operand.shape * 2`.

    Row by row: the gradient is a function like any other, and its VJP with a one-hot cotangent is one
    row of its Jacobian.
    """
    value = np.asarray(operand)
    gradient, pullback = vjp(lambda x: grad(function)(x)[0], value)
    basis = np.eye(value.size, dtype=value.dtype).reshape(value.size, *value.shape)
    if gradient is None or edge_of(gradient) is None:
        return Tensor(np.zeros(value.shape * 2, value.dtype))
    rows = [pulled.value if (pulled := pullback(e)[0]) is not None else np.zeros_like(value) for e in basis]
    return Tensor(np.reshape(rows, value.shape * 2))


def _variable(operand: Any) -> Tensor:
    """A tensor at which a walk can end: a fresh leaf, or a node of its own behind one with a history."""
    behind = edge_of(operand)
    if behind is None:
        return Tensor(operand, requires_grad=True)
    variable = Tensor(operand)
    variable.edge = (Node("identity", [behind], lambda cotangents: cotangents), 0)
    variable.requires_grad = True
    return variable


def _as_tuple(outputs: Any) -> tuple[Any, ...]:
    return outputs if isinstance(outputs, tuple) else (outputs,)
