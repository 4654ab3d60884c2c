"""A guard: a condition under which a mutant is wrong, and what is known where it is tested."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

Array = np.ndarray[Any, Any]


class Facts(Protocol):
    """What is known where a rule is applied: the call it belongs to, and the backward pass.

    Attributes:
        operands: their plain values; of a call whose results have several rules, the same for all.
        cotangent: its plain value, of the first output where there are several.
        parameters: of the call.
        kinds: of each operand, "leaf", "computed", or "constant".
        number: of the call among the calls of the op, from 1.
        nodes: of the graph behind the operands.
        is_recorded: whether the backward pass is itself recorded.
        is_main: whether this is the main thread.
        modes: the transforms that are at work: "checkpoint", "vmap", "jit".
    """

    operands: Sequence[Array]
    cotangent: Array
    parameters: Mapping[str, Any]
    kinds: Sequence[str]
    number: int
    nodes: int
    is_recorded: bool
    is_main: bool
    modes: frozenset[str]


@dataclass(frozen=True)
class Guard:
    """A condition.

    Attributes:
        text: it, as a reader would write it.
        factors: what it is about.
        holds: whether it does; an array where it is about each entry of the gradient.
        hides: the changes that it would hide, such as a factor where every cotangent is zero.
    """

    text: str
    factors: tuple[str, ...]
    holds: Callable[[int, Facts], Any]
    hides: bool = False
