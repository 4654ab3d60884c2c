"""What an adapter returns of one recorded call: its arrays, its pullback, its graph."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Sequence
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any

import numpy as np

NDArray = np.ndarray[Any, Any]
Function = Callable[..., Any]


@dataclass(frozen=True)
class GraphNode:
    """One node of a recorded graph, as the engine shows it.

    Attributes:
        name: the engine's name of the node.
        inputs: the nodes of the operands, in operand order; None for a constant.
        variable: the leaf whose gradient accumulates here; None at a node of an op.
        names_variable: whether the engine's node has a variable.
    """

    name: str
    inputs: tuple[GraphNode | None, ...]
    variable: Any = None
    names_variable: bool = False


@dataclass(frozen=True)
class Trace:
    """A recorded call, of which gradients can be computed.

    Attributes:
        arrays: the operands, as the engine's arrays.
        outputs: the outputs, as the engine's arrays.
        pull: takes one cotangent per output, as the engine's arrays of the outputs' shapes and dtypes, and returns
            the gradients of the operands that need one; None where the engine gives none. It may work once only.
    """

    arrays: tuple[Any, ...]
    outputs: tuple[Any, ...]
    pull: Callable[[Sequence[Any]], tuple[Any, ...]]


def pulled(
    tape: Any, outputs: Sequence[Any], cotangents: Sequence[Any], leaves: Sequence[Any]
) -> tuple[Any, ...]:
    """The gradients of a tape's leaves, by one backward call per output.

    Where a call replaces what the one before has stored (B3), that is taken away in between, and added.
    """
    is_replaced = len(outputs) > 1 and tape.conventions.get("B3") == "replaces"
    sums: list[Any] = [None] * len(leaves)
    for position, (output, g) in enumerate(zip(outputs, cotangents, strict=True), start=1):
        tape.backward(output, g, retain=position < len(outputs))
        if is_replaced:
            sums = [_with_stored(tape, leaf, total) for leaf, total in zip(leaves, sums, strict=True)]
    if is_replaced:
        return tuple(None if total is None else tape.array(total) for total in sums)
    return tuple(map(tape.grad, leaves))


def _with_stored(tape: Any, leaf: Any, total: NDArray | None) -> NDArray | None:
    """`total` and the stored gradient of a leaf, which is cleared: where the next call does not reach it, it would stay."""
    if (gradient := tape.grad(leaf)) is None:
        return total
    tape.finish(gradient)
    value = np.array(tape.numpy(gradient))
    tape.clear(leaf)
    return value if total is None or total.shape != value.shape else np.asarray(total + value)


def restricted(function: Function, arrays: Sequence[Any], chosen: Sequence[int]) -> Function:
    """`function` of the chosen operands alone, with the others fixed to `arrays`."""
    if list(chosen) == list(range(len(arrays))):
        return function

    def of_chosen(*variables: Any) -> Any:
        filled = list(arrays)
        for index, variable in zip(chosen, variables, strict=True):
            filled[index] = variable
        return function(*filled)

    return of_chosen


class Listed(tuple[Any, ...]):
    """Outputs that an op returned as a list, which a message is to call one."""

    __slots__ = ()


def as_tuple(outputs: Any) -> tuple[Any, ...]:
    """The outputs of an op, one or several, as a tuple."""
    if isinstance(outputs, list):
        return Listed(outputs)
    return tuple(outputs) if isinstance(outputs, tuple) else (outputs,)


_ASIDE = ContextVar("aside", default=False)


@contextlib.contextmanager
def aside() -> Iterator[None]:
    """A scope of calls by which a check finds out what the engine accepts: no script shows them, since one may raise."""
    token = _ASIDE.set(True)
    try:
        yield
    finally:
        _ASIDE.reset(token)


def is_aside() -> bool:
    """Whether such a scope is open."""
    return _ASIDE.get()
