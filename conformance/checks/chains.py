"""Chains of any number of nodes, of ops of many families, that are the identity: their gradients are known exactly.

Every link is a few ops that take small multiples of powers of two to the same numbers again: an addition that is
undone, a permutation and its inverse, two halves split and joined.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from conformance.backend import Backend, Capability, Function
from conformance.checks.sample import Sample
from conformance.ops.names import (
    ADD,
    BROADCAST_TO,
    CONCAT,
    CUMULATIVE_SUM,
    DIFF,
    DIVIDE,
    EXPAND_DIMS,
    GETITEM,
    GETITEM_INTEGER_ARRAY,
    MATMUL,
    MEAN,
    MULTIPLY,
    NEGATIVE,
    PERMUTE_DIMS,
    RELU,
    RESHAPE,
    SPLIT,
    SUBTRACT,
    SUM,
    TAKE,
    WHERE,
)

ROWS = 2


@dataclass(frozen=True)
class Ops:
    """The engine's ops, for a chain of values of the shape (ROWS, width)."""

    engine: Backend
    dtype: str
    width: int

    def __call__(self, name: str, *operands: Any, **parameters: Any) -> Any:
        """What an op returns."""
        return self.engine.call(name, parameters)(*operands)

    def constant(self, value: Any) -> Any:
        """The engine's array of these values."""
        return self.engine.array(np.array(value, self.dtype))


Link = Callable[[Ops, Any, Any], Any]  # of the ops, a value y of the shape (ROWS, width), a leaf w


def _summed_and_differenced(call: Ops, y: Any, w: Any) -> Any:
    sums = call(CUMULATIVE_SUM, y, axis=0)
    rows = call(CONCAT, call(SUBTRACT, sums, sums), sums, axis=0)
    return call(GETITEM, call(DIFF, rows, n=1, axis=0), index=(slice(ROWS - 1, None),))


def _permuted(call: Ops, y: Any, w: Any) -> Any:
    swap = call.constant(np.eye(ROWS)[::-1])
    return call(MATMUL, swap, call(MATMUL, swap, y))


def _doubled(call: Ops, y: Any, w: Any) -> Any:
    half = call.constant(0.5)
    return call(DIVIDE, call(MULTIPLY, y, half), half)


def _picked(call: Ops, y: Any, w: Any) -> Any:
    reversed_rows = call(GETITEM_INTEGER_ARRAY, y, index=([1, 0],))
    return call(GETITEM_INTEGER_ARRAY, reversed_rows, index=([1, 0],))


def _averaged(call: Ops, y: Any, w: Any) -> Any:
    copies = call(BROADCAST_TO, call(EXPAND_DIMS, y, axis=0), shape=(2, ROWS, call.width))
    return call(MEAN, copies, axis=0, keepdims=False)


def _selected(call: Ops, y: Any, w: Any) -> Any:
    return call(WHERE, call.engine.array(np.array([[True], [False]])), y, y)


def _by_custom_rule(call: Ops, y: Any, w: Any) -> Any:
    twice = call.engine.custom(lambda a: a + a, lambda g, a: (g + g,))
    return twice(call(MULTIPLY, y, call.constant(0.5)))


def _in_a_checkpoint(call: Ops, y: Any, w: Any) -> Any:
    return call.engine.checkpoint(lambda a: call(NEGATIVE, call(NEGATIVE, a)))(y)


# Each link with the number of its nodes and the ops that it needs.
LINKS: tuple[tuple[int, tuple[str, ...], Link], ...] = (
    (2, (NEGATIVE,), lambda call, y, w: call(NEGATIVE, call(NEGATIVE, y))),
    (2, (ADD, SUBTRACT), lambda call, y, w: call(SUBTRACT, call(ADD, y, w), w)),
    (2, (ADD, SUBTRACT), lambda call, y, w: call(SUBTRACT, call(ADD, y, y), y)),
    (2, (MULTIPLY, DIVIDE), _doubled),
    (2, (RESHAPE,), lambda call, y, w: call(
        RESHAPE, call(RESHAPE, y, shape=(ROWS * call.width,)), shape=(ROWS, call.width))),
    (2, (PERMUTE_DIMS,), lambda call, y, w: call(PERMUTE_DIMS, call(PERMUTE_DIMS, y, axes=(1, 0)), axes=(1, 0))),
    (2, (GETITEM_INTEGER_ARRAY,), _picked),
    (2, (TAKE,), lambda call, y, w: call(TAKE, call(TAKE, y, indices=[1, 0], axis=0), indices=[1, 0], axis=0)),
    (2, (CONCAT, SPLIT), lambda call, y, w: call(CONCAT, *call(SPLIT, y, indices_or_sections=[1], axis=0), axis=0)),
    (2, (EXPAND_DIMS, SUM), lambda call, y, w: call(SUM, call(EXPAND_DIMS, y, axis=0), axis=0, keepdims=False)),
    (3, (BROADCAST_TO, EXPAND_DIMS, MEAN), _averaged),
    (2, (CONCAT, GETITEM), lambda call, y, w: call(GETITEM, call(CONCAT, y, w, axis=0), index=(slice(None, ROWS),))),
    (1, (WHERE,), _selected),
    (2, (MATMUL,), _permuted),
    (4, (NEGATIVE, RELU, SUBTRACT), lambda call, y, w: call(
        SUBTRACT, call(RELU, y), call(RELU, call(NEGATIVE, y)))),
    (5, (CUMULATIVE_SUM, DIFF, CONCAT, GETITEM), _summed_and_differenced),
)  # fmt: skip
BUILT: tuple[tuple[int, Capability, Link], ...] = (
    (2, Capability.CUSTOM_RULE, _by_custom_rule),
    (1, Capability.CHECKPOINTING, _in_a_checkpoint),
)


def chain(engine: Backend, sample: Sample, nodes: int, width: int = 3) -> tuple[Function, int]:
    """A function (y, w) ↦ ±y + w of so many nodes, in the sample's order of links, and the sign of y.

    y and w have the shape (ROWS, width); their entries are small multiples of powers of two, and none of y's is 0.
    """
    call = Ops(engine, sample.dtype, width)
    links = [(count, link) for count, names, link in LINKS if all(name in engine.ops for name in names)]
    links += [(count, link) for count, need, link in BUILT if need in engine.capabilities]
    order = sample.rng.permutation(len(links))
    chosen: list[Link] = []
    left = nodes - 1
    for n in range(left):
        count, link = links[order[n % len(links)]]
        if count <= left:
            chosen.append(link)
            left -= count

    def function(y: Any, w: Any) -> Any:
        for link in chosen:
            y = link(call, y, w)
        for _ in range(left):
            y = call(NEGATIVE, y)
        return call(ADD, y, w)

    return function, -1 if left % 2 else 1
