"""Loops and branches as functions of functions.

A compiler needs them, because it never sees Python's own. To a tape they are nothing new: it records the steps that
are taken, and what a step captures has an edge from each. So these are Python's loop and Python's branch.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from conformance_backends.numpy_engine.graph import no_grad
from conformance_backends.numpy_engine.tensor import Tensor, detach

Function = Callable[..., Any]


def scan(step: Function, carry: Any, items: Any) -> tuple[Any, Any]:
    """The last carry, and the stacked outputs, of `step(carry, item) -> (carry, output)` for each of the items.

    Without items nothing says of which shape an output would be; an item of zeros is tried then.
    """
    outputs = []
    for n in range(len(items)):
        carry, output = step(carry, items[n])
        outputs.append(output)
    if outputs:
        return carry, np.stack(outputs)
    with no_grad():
        _, like = step(carry, Tensor(np.zeros(items.shape[1:], items.dtype)))
    return carry, Tensor(np.zeros((0, *like.shape), like.dtype))


def while_loop(condition: Function, step: Function, carry: Any) -> Any:
    """The carry after as many steps as the condition, a function of it, allows."""
    while detach(condition(carry)):
        carry = step(carry)
    return carry


def branch(condition: Any, then: Function, otherwise: Function, operands: Sequence[Any]) -> Any:
    """What one of two functions returns."""
    return (then if detach(condition) else otherwise)(*operands)
