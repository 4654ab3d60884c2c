"""What an adapter hands over of one call: its arrays, its pullback, its graph."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

NDArray = np.ndarray[Any, Any]
Function = Callable[..., Any]


@dataclass(frozen=True)
class GraphNode:
    """One node of a recorded graph, as the engine shows it.

    `inputs` are the nodes of the operands in operand order, None for a constant. `variable` is the leaf
    whose gradient accumulates here; `names_variable` whether asking the engine's node for it works.
    """

    name: str
    inputs: tuple[GraphNode | None, ...]
    variable: Any = None
    names_variable: bool = False


@dataclass(frozen=True)
class Trace:
    """A call of which gradients can be asked: the engine's arrays that went in and came out.

    `pull` takes one of the engine's arrays per output and returns the gradients of the operands that
    need one (None where the engine gives none). It need not work twice.
    """

    arrays: tuple[Any, ...]
    outputs: tuple[Any, ...]
    pull: Callable[[Sequence[Any]], tuple[Any, ...]]


def restricted(function: Function, arrays: Sequence[Any], chosen: Sequence[int]) -> Function:
    """`function` of the chosen operands alone, the others held at `arrays`."""
    if list(chosen) == list(range(len(arrays))):
        return function

    def of_chosen(*variables: Any) -> Any:
        filled = list(arrays)
        for index, variable in zip(chosen, variables, strict=True):
            filled[index] = variable
        return function(*filled)

    return of_chosen


def as_tuple(outputs: Any) -> tuple[Any, ...]:
    """The outputs of an op, one or several, as a tuple."""
    return tuple(outputs) if isinstance(outputs, (tuple, list)) else (outputs,)
