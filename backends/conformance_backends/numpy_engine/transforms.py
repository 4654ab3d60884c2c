"""Gradients as functions of functions.

`vjp` is the one primitive: run the function on fresh leaves, keep the graph, and run its backward pass at each
call of the pullback. A gradient is a VJP seeded with 1. A JVP is the transpose of a VJP: for fixed x the map
u ↦ Jᵀu is linear, and transposing it once more gives t ↦ Jt, so forward mode needs no rules of its own.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from conformance_backends.numpy_engine.drawing import drawing_again, drawn_so_far
from conformance_backends.numpy_engine.graph import (
    Edge,
    Node,
    backward_pass,
    edges_before,
    is_recording,
    next_number,
    set_recording,
)
from conformance_backends.numpy_engine.seeds import seed
from conformance_backends.numpy_engine.structures import arrays_in, rebuilt
from conformance_backends.numpy_engine.tensor import Tensor, detach, edge_of, remade, tensor_at, wrap

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
        times, and what it returns can itself be differentiated; not where VJPs are taken in a no_grad scope, in which
        all results are constants.
    """
    if not is_recording():
        with set_recording(True):
            outputs, pulled_back = vjp(function, *map(detach, operands))
        return _constants(outputs), lambda *cotangents: _constants(pulled_back(*cotangents))
    variables = [_variable(operand) for operand in operands]
    outputs = function(*variables)

    def pullback(*cotangents: Any) -> Gradients:
        seeds = [
            None if g is None or edge_of(z) is None else seed(z, g)
            for z, g in zip(_as_tuple(outputs), cotangents, strict=True)
        ]
        with set_recording(True):
            pulled = _pulled_back(outputs, seeds, variables)
        return tuple(g if g is None or isinstance(g, Tensor) else Tensor(g) for g in pulled)

    return outputs, pullback


def value_and_grad(
    function: Function, argnums: int | tuple[int, ...] | None = None, *, has_aux: bool = False
) -> Callable[..., tuple[Any, Any]]:
    """A function that returns the scalar value of `function` and its gradient.

    Args:
        function: an operand may be a structure, lists, tuples and dicts of arrays; its gradient is built alike.
        argnums: the operand to differentiate by, or a tuple of them; all of them where it is None.
        has_aux: whether the function returns a pair of its value and anything else; the value is that pair then. Nothing
            flows back from the other results to the operands as variables of this gradient.

    Raises (when called):
        ValueError: if the value is not a scalar: its gradient would need an upstream cotangent; if an operand is named twice.
        IndexError: if there is no operand at a position.
    """

    def evaluate(*operands: Any) -> tuple[Any, Any]:
        chosen = tuple(range(len(operands))) if argnums is None else argnums
        positions = [range(len(operands))[i] for i in ((chosen,) if isinstance(chosen, int) else chosen)]
        if len(set(positions)) < len(positions):
            raise ValueError(f"an operand is named twice by {chosen}")
        given = tuple(operands[i] for i in positions)
        others: list[Any] = []

        def of_arrays(*arrays: Any) -> Any:
            filled = list(operands)
            for i, operand in zip(positions, rebuilt(given, iter(arrays)), strict=True):
                filled[i] = operand
            output = function(*filled)
            if has_aux:
                output, further = output
                others.append(further)
            return output

        start = next_number()
        output, pullback = vjp(of_arrays, *arrays_in(given))
        gradients = rebuilt(given, iter(pullback(seed(output, None))))
        value = (output, _handed_on(others[0], start)) if has_aux else output
        return value, gradients[0] if isinstance(chosen, int) else gradients

    return evaluate


def _handed_on(structure: Any, start: int) -> Any:
    """Arrays computed beside a value: constants, unless what they are computed from was recorded before `start`."""
    arrays = arrays_in(structure)
    edges = [edge for x in arrays if (edge := edge_of(x)) is not None]
    if any(edge[0].number < start for edge in edges_before(edges, start)):
        return structure
    return rebuilt(structure, iter([Tensor(detach(x)) if isinstance(x, Tensor) else x for x in arrays]))


def grad(function: Function) -> Callable[..., Any]:
    """A function that returns the gradient of a scalar function, one entry per operand."""
    evaluate = value_and_grad(function)
    return lambda *operands: evaluate(*operands)[1]


def jvp(function: Function, operands: tuple[Any, ...], tangents: tuple[Any, ...]) -> tuple[Any, Any]:
    """The value of a function, one output or several, and its derivative along the operands' `tangents`.

    Raises ValueError if there is not one tangent per operand.
    """
    if len(tangents) != len(operands):
        raise ValueError(f"{len(tangents)} tangents were given for {len(operands)} operands")
    if not is_recording():
        with set_recording(True):
            output, pushed = jvp(function, tuple(map(detach, operands)), tuple(map(detach, tangents)))
        return _constants(output), _constants(pushed)
    output, pullback = vjp(function, *operands)
    zeros = [np.zeros(z.shape, z.dtype) for z in _as_tuple(output)]
    reached = [i for i, pulled in enumerate(pullback(*zeros)) if pulled is not None]

    def pulled_back(*cotangents: Any) -> tuple[Any, ...]:
        pulled = pullback(*cotangents)
        return tuple(pulled[i] for i in reached)

    _, transposed = vjp(pulled_back, *zeros)
    pushed = transposed(*(tangents[i] for i in reached))
    outward = tuple(Tensor(z) if t is None else t for t, z in zip(pushed, zeros, strict=True))
    return output, outward if isinstance(output, tuple) else outward[0]


def checkpoint(function: Function) -> Function:
    """The same function, recomputed in the backward pass instead of being recorded.

    A graph keeps every intermediate value that a rule needs. This keeps the operands alone and, when
    a cotangent arrives, runs the function once more to record its graph: time is traded for
    memory (Griewank & Walther 2008, ch. 12). The same rules see the same values, so the gradient
    is the same to the last bit.

    A function may also use tensors that are no operands of it, such as the weights of a layer. Cotangents flow to
    those too; so the forward pass records the function once to see which they are, and drops that graph. Random numbers
    are drawn a second time as they were the first time.
    """

    def recomputed(*operands: Any) -> Any:
        if not is_recording():
            return function(*operands)
        edges = [edge_of(operand) for operand in operands]
        values = [Tensor(x.value) if isinstance(x, Tensor) else x for x in operands]  # as they are now

        def recorded() -> tuple[Any, list[Any], list[Edge]]:
            """The function's outputs, its operands as ends of their graph, and the other edges that leave it."""
            variables = [
                x if e is None else _variable(x) for x, e in zip(remade(values, edges), edges, strict=True)
            ]
            start = next_number()
            with set_recording(True):
                outputs = function(*variables)
            roots = [edge for z in _as_tuple(outputs) if (edge := edge_of(z)) is not None]
            return outputs, variables, edges_before(roots, start, _ends(variables))

        start = drawn_so_far()
        outputs, _, captured = recorded()
        if not any(edges) and not captured:
            return outputs

        def pullback(cotangents: Sequence[Any]) -> Gradients:
            with drawing_again(start):
                again, variables, found = recorded()
            ended = _ended(again, cotangents, _ends(variables), {node for node, _ in found})
            targets = [edge_of(variable) for variable in variables] + captured
            return tuple(_arrived(ended, edge) for edge in targets)

        return wrap(_plain(outputs), Node("checkpoint", [*edges, *captured], pullback))

    return recomputed


def jacobian(function: Function, *operands: Any) -> tuple[Tensor, ...]:
    """The Jacobians of one output by every operand, each of shape `output.shape + operand.shape`.

    Row by row: the pullback of a one-hot cotangent gives one row of J.
    """
    values = [np.asarray(detach(operand)) for operand in operands]
    output, pullback = vjp(function, *values)
    basis = np.eye(output.size, dtype=output.dtype).reshape(output.size, *output.shape)
    rows = [pullback(one_hot) for one_hot in basis]
    return tuple(
        Tensor(np.reshape([_or_zeros(row[i], x).value for row in rows], output.shape + x.shape))
        for i, x in enumerate(values)
    )


def jacobian_by_columns(function: Function, *operands: Any) -> tuple[Tensor, ...]:
    """The same column by column: the tangent along one entry of an operand is one column."""
    values = [np.asarray(detach(operand)) for operand in operands]
    zeros = [np.zeros_like(x) for x in values]
    output = np.asarray(detach(jvp(function, tuple(values), tuple(zeros))[0]))
    found = []
    for i, x in enumerate(values):
        basis = np.eye(x.size, dtype=x.dtype).reshape(x.size, *x.shape)
        columns = [
            jvp(function, tuple(values), (*zeros[:i], one_hot, *zeros[i + 1 :]))[1] for one_hot in basis
        ]
        stacked = [np.asarray(detach(column)) for column in columns]
        whole = np.stack(stacked, axis=-1) if stacked else np.zeros((*output.shape, 0), output.dtype)
        found.append(Tensor(whole.reshape(output.shape + x.shape)))
    return tuple(found)


def hessian(function: Function, operand: Any) -> Tensor:
    """The second derivatives of a scalar function, of shape `operand.shape * 2`: the Jacobian of its gradient."""

    def gradient(x: Tensor) -> Tensor:
        return _or_zeros(grad(function)(x)[0], detach(x))

    return jacobian(gradient, operand)[0]


def _pulled_back(outputs: Any, cotangents: Sequence[Any], variables: Sequence[Tensor]) -> Gradients:
    """The backward pass from the outputs to the variables, and no further; recorded if recording is on."""
    ended = _ended(outputs, cotangents, _ends(variables))
    return tuple(_arrived(ended, edge_of(variable)) for variable in variables)


def _ended(
    outputs: Any, cotangents: Sequence[Any], ends: set[Node], outer: frozenset[Node] | set[Node] = frozenset()
) -> dict[Node, list[Any]]:
    """The cotangents of the nodes at which the backward pass from the outputs ends, those of a graph around it among them."""
    seeds = [
        (edge, g)
        for z, g in zip(_as_tuple(outputs), cotangents, strict=False)
        if g is not None and (edge := edge_of(z)) is not None
    ]
    return backward_pass(seeds, ends | outer, outer)


def _or_zeros(gradient: Tensor | None, operand: Any) -> Tensor:
    """A gradient; zeros where there is none."""
    return Tensor(np.zeros_like(operand)) if gradient is None else gradient


def _ends(variables: Sequence[Any]) -> set[Node]:
    return {edge[0] for variable in variables if (edge := edge_of(variable)) is not None}


def _arrived(ended: dict[Node, list[Any]], edge: Edge | None) -> Any:
    """The cotangent that arrived along an edge; None where none did."""
    if edge is None:
        return None
    slots = ended.get(edge[0], ())
    return slots[edge[1]] if edge[1] < len(slots) else None


def _plain(outputs: Any) -> Any:
    return tuple(map(detach, outputs)) if isinstance(outputs, tuple) else detach(outputs)


def _variable(operand: Any) -> Tensor:
    """A tensor at which a backward pass can end: a new leaf, or an identity node after an operand with a history."""
    behind = edge_of(operand)
    if behind is None:
        return Tensor(operand, requires_grad=True)
    return tensor_at(operand, (Node("identity", [behind], lambda cotangents: cotangents), 0))


def _constants(arrays: Any) -> Any:
    """The values of one array or several, without history; None stays None."""
    if isinstance(arrays, tuple):
        return tuple(map(_constants, arrays))
    return arrays if arrays is None else Tensor(detach(arrays))


def _as_tuple(outputs: Any) -> tuple[Any, ...]:
    return outputs if isinstance(outputs, tuple) else (outputs,)
