"""Guards drawn from a grammar.

A bug that survives its author's tests holds only somewhere: above a size that a kernel handles in blocks, for one axis,
for an operand that is not contiguous, in the second derivative. A guard is such a somewhere, with the factors that it
is about. The draws are finer than the levels of the suite's design: from 37 entries on, not from 33.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from conformance.op import Op
from conformance.selfcheck.generated.call_conditions import (
    of_broadcast,
    of_dtype,
    of_layout,
    of_parameter,
    of_parameter_and_shape,
    of_rank,
    of_shape,
    of_size,
)
from conformance.selfcheck.generated.guard import Facts, Guard
from conformance.selfcheck.generated.value_conditions import (
    of_cotangent,
    of_graph,
    of_kind,
    of_mode,
    of_number,
    of_order,
    of_thread,
    of_value,
)

# How often each is drawn: about as often as the reported bugs of engines are conditioned so.
GRAMMAR: Mapping[Callable[[Op, random.Random], Guard | None], int] = {
    of_size: 12, of_rank: 8, of_shape: 6, of_broadcast: 9, of_parameter: 14, of_parameter_and_shape: 6, of_dtype: 8, of_layout: 8,
    of_value: 14, of_cotangent: 6, of_kind: 5, of_order: 4, of_mode: 2, of_graph: 2, of_thread: 1, of_number: 4,
}  # fmt: skip


def drawn(op: Op, rng: random.Random) -> Guard:
    """A guard for an op: one condition, or, one time in six, two at once."""
    first = _one(op, rng)
    if rng.random() > 1 / 6:
        return first
    for _ in range(20):
        second = _one(op, rng)
        if second.factors != first.factors and not (first.hides or second.hides):
            return Guard(
                f"{first.text} and {second.text}",
                first.factors + second.factors,
                _both(first, second),
            )
    return first


def _one(op: Op, rng: random.Random) -> Guard:
    makers, weights = list(GRAMMAR), list(GRAMMAR.values())
    while True:
        made = rng.choices(makers, weights)[0](op, rng)
        if made is not None:
            return made


def _both(first: Guard, second: Guard) -> Callable[[int, Facts], Any]:
    return lambda i, f: np.logical_and(first.holds(i, f), second.holds(i, f))
