"""The graph that a computation records, along which the backward pass sends cotangents.

Every operation on tensors that need a gradient records a `Node`. A node knows its rule (how a
cotangent of its output becomes cotangents of its operands) and its edges (which nodes made those
operands). A leaf, a tensor the user made, has an `Accumulation` node: the place where cotangents are
accumulated, and the only kind of node that holds a variable.

The backward pass has two rules at every node:

*Why is everything multiplied by the upstream cotangent?* A node knows only its own derivative, dz/dx. The
gradient of the final output L is dL/dx = dL/dz · dz/dx, and dL/dz is the upstream cotangent. For an array
z the pair (dL/dz, dz/dx) is a vector and a matrix, and the rule multiplies them without ever
building the matrix: a vector-Jacobian product.

*Why must a node wait?* A value used k times influences the output along k paths, and its cotangent
is the sum of k contributions (the multivariable chain rule). Propagating each alone would follow
every path of the graph, exponentially many in a chain of diamonds; so a node propagates once,
after its last consumer has contributed: in topological order (Griewank & Walther 2008, ch. 3).
"""

from __future__ import annotations

import contextlib
import contextvars
import itertools
from collections.abc import Callable, Container, Iterator, Sequence
from typing import Any

import numpy as np

_recording = contextvars.ContextVar("recording", default=True)
looks_for_nan = contextvars.ContextVar("looks_for_nan", default=False)
_numbers = itertools.count()


def is_recording() -> bool:
    """Whether operations record nodes now, in this thread."""
    return _recording.get()


@contextlib.contextmanager
def set_recording(flag: bool) -> Iterator[None]:
    """Record, or do not, until the block ends, also by an exception."""
    before = _recording.set(flag)
    try:
        yield
    finally:
        _recording.reset(before)


def no_grad() -> contextlib.AbstractContextManager[None]:
    """A scope in which nothing is recorded: results are constants."""
    return set_recording(False)


class Node:
    """One operation of the graph.

    `pullback(cotangents)` takes one cotangent per output (None where none arrived) and returns one
    per operand (None where the operand needs none). `edges` are, in operand order, the pairs (node,
    index of the operand among that node's outputs), or None for a constant. `hooks` are pairs of an
    output's index and a function of its cotangent. Nodes are numbered in the order in which they are made.
    """

    __slots__ = ("__weakref__", "edges", "hooks", "name", "number", "pullback")

    def __init__(self, name: str, edges: Sequence[Edge | None], pullback: Pullback) -> None:
        self.name = name
        self.edges = tuple(edges)
        self.pullback = pullback
        self.number = next(_numbers)
        self.hooks: tuple[tuple[int, Hook], ...] = ()

    @property
    def inputs(self) -> tuple[Node | None, ...]:
        """The nodes that made the operands, in operand order; None for a constant."""
        return tuple(edge[0] if edge else None for edge in self.edges)

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.name}>"


class Accumulation(Node):
    """Where the cotangents of one leaf are accumulated: the only node that holds a variable."""

    __slots__ = ("variable",)

    def __init__(self, variable: Any) -> None:
        super().__init__("accumulate", (), lambda cotangents: ())
        self.variable = variable


Edge = tuple[Node, int]
Pullback = Callable[[Sequence[Any]], Sequence[Any]]
Hook = Callable[[Any], Any]


def count_consumers(roots: Sequence[Node], ends: Container[Node] = ()) -> dict[Node, int]:
    """For every node from `roots` back to `ends`, the number of edges from which it will receive a cotangent."""
    consumers: dict[Node, int] = dict.fromkeys(roots, 0)
    to_visit = list(consumers)
    while to_visit:  # a list, not recursion: a graph may be a hundred thousand nodes deep
        node = to_visit.pop()
        for edge in () if node in ends else node.edges:
            if edge is None:
                continue
            source = edge[0]
            if source not in consumers:
                consumers[source] = 0
                to_visit.append(source)
            consumers[source] += 1
    return consumers


def edges_before(roots: Sequence[Edge], start: int, ends: Container[Node] = ()) -> list[Edge]:
    """The edges along which a graph reaches what it did not make itself: leaves, and nodes numbered below `start`.

    `ends` are nodes at which the search stops, besides those.
    """
    found: dict[
        Edge, None
    ] = {}  # a dict, which keeps the order, so that gradients are summed alike every time
    seen: set[Edge] = set()
    to_visit = list(roots)
    while to_visit:
        edge = to_visit.pop()
        if edge in seen or edge[0] in ends:
            continue
        seen.add(edge)
        if isinstance(edge[0], Accumulation) or edge[0].number < start:
            found[edge] = None
        else:
            to_visit.extend(behind for behind in edge[0].edges if behind is not None)
    return list(found)


def next_number() -> int:
    """The number that the next node will have, at least."""
    return next(_numbers)


def backward_pass(seeds: Sequence[tuple[Edge, Any]], ends: Container[Node] = ()) -> dict[Node, list[Any]]:
    """Propagate the seeds' cotangents back to the leaves.

    Args:
        seeds: pairs of an edge (whose cotangent is known) and that cotangent.
        ends: nodes to stop at, besides those that have no edges.

    Returns:
        For each node at which the pass ended, the cotangents of its outputs.
    """
    arrived: dict[Node, list[Any]] = {}
    for edge, cotangent in seeds:
        _deliver(arrived, edge, cotangent)
    awaited = count_consumers([edge[0] for edge, _ in seeds], ends)
    ready = [node for node, count in awaited.items() if count == 0]
    ended: dict[Node, list[Any]] = {}
    while ready:
        node = ready.pop()
        cotangents = arrived.pop(node, [])
        if node.hooks:
            _call_hooks(node, cotangents)
        refuses_nan = looks_for_nan.get()
        if refuses_nan:
            _refuse_nan(cotangents, f"the cotangent of what {node.name} computed is NaN")
        if not node.edges or node in ends:
            ended[node] = cotangents
            continue
        # Where none arrived, the rule is not called, but the nodes behind wait for this one all the same.
        downstream = node.pullback(cotangents) if cotangents else (None,) * len(node.edges)
        if refuses_nan:
            _refuse_nan(downstream, f"the rule of {node.name} made a NaN")
        for target, cotangent in zip(node.edges, downstream, strict=True):
            if target is None:
                continue
            if cotangent is not None:
                _deliver(arrived, target, cotangent)
            source = target[0]
            awaited[source] -= 1
            if awaited[source] == 0:
                ready.append(source)
    return ended


def _call_hooks(node: Node, cotangents: list[Any]) -> None:
    """Show the summed cotangents of a node to its hooks; what a hook returns replaces the cotangent."""
    for index, hook in node.hooks:
        if index < len(cotangents) and cotangents[index] is not None:
            replacement = hook(cotangents[index])
            cotangents[index] = cotangents[index] if replacement is None else replacement


def _refuse_nan(cotangents: Sequence[Any], message: str) -> None:
    if any(cotangent is not None and np.any(np.isnan(cotangent)) for cotangent in cotangents):
        raise FloatingPointError(message)


def _deliver(arrived: dict[Node, list[Any]], edge: Edge, cotangent: Any) -> None:
    """Add a contribution to the cotangent of one output of a node.

    The sum is a new array: adding in place would write into a cotangent that another path, or the
    caller, still uses.
    """
    node, index = edge
    slots = arrived.setdefault(node, [])
    while len(slots) <= index:
        slots.append(None)
    slots[index] = cotangent if slots[index] is None else np.add(slots[index], cotangent)
