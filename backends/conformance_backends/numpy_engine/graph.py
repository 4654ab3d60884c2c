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
Every consumer of a value is made after it. So the order in which the nodes were made, backwards, is such an order,
and nothing has to be searched or counted: the latest node that has a cotangent has all of its contributions.
"""

from __future__ import annotations

import contextlib
import contextvars
import itertools
import weakref
from collections.abc import Callable, Container, Sequence
from heapq import heappop, heappush
from typing import Any

import numpy as np

_recording = contextvars.ContextVar("recording", default=True)
looks_for_nan = contextvars.ContextVar("looks_for_nan", default=False)
_numbers = itertools.count()

is_recording: Callable[[], bool] = _recording.get
"""Whether operations record nodes now, in this thread."""

next_number: Callable[[], int] = _numbers.__next__
"""A number larger than those of all nodes before."""


class set_recording:  # noqa: N801 - called like a function
    """Record, or do not, until the block ends, also by an exception."""

    def __init__(self, flag: bool) -> None:
        self.flag = flag
        self.before: list[contextvars.Token[bool]] = []  # one for each time that it is entered

    def __enter__(self) -> None:
        self.before.append(_recording.set(self.flag))

    def __exit__(self, *_: object) -> None:
        _recording.reset(self.before.pop())


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

    hooks: tuple[tuple[int, Hook], ...] = ()

    def __init__(self, name: str, edges: Sequence[Edge | None], pullback: Pullback) -> None:
        self.name = name
        self.edges = edges
        self.pullback = pullback
        self.number = next_number()

    @property
    def inputs(self) -> tuple[Node | None, ...]:
        """The nodes that made the operands, in operand order; None for a constant."""
        return tuple(edge[0] if edge else None for edge in self.edges)

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.name}>"


class Accumulation(Node):
    """Where the cotangents of one leaf are accumulated: the only node that holds a variable.

    It holds the leaf weakly, because the leaf holds it: a cycle would keep both alive.
    """

    def __init__(self, variable: Any) -> None:
        super().__init__("accumulate", (), lambda cotangents: ())
        self._variable = weakref.ref(variable)

    @property
    def variable(self) -> Any:
        """The leaf; None if nobody has it any more, so that nobody can read its gradient."""
        return self._variable()

    def accumulate(self, cotangent: Any) -> None:
        """Add to the leaf's `grad`; the sum, or the copy, is an array that shares no memory."""
        leaf = self.variable
        if leaf is not None:
            arrived = np.array(cotangent, dtype=leaf.dtype)
            # NumPy's sum of two 0-d arrays is a scalar, not an array.
            leaf.grad = arrived if leaf.grad is None else np.asarray(leaf.grad + arrived)


Edge = tuple[Node, int]
Pullback = Callable[[Sequence[Any]], Sequence[Any]]
Hook = Callable[[Any], Any]


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


def backward_pass(
    seeds: Sequence[tuple[Edge, Any]],
    ends: Container[Node] = (),
    outer: Container[Node] = (),
    on_the_way: Container[Node] = (),
) -> dict[Node, list[Any]]:
    """Propagate the seeds' cotangents back to the leaves.

    Args:
        seeds: pairs of an edge (whose cotangent is known) and that cotangent.
        ends: nodes to stop at, besides those that have no edges.
        outer: nodes of a graph around this one, in whose pass their hooks are called.
        on_the_way: nodes whose cotangents are wanted, too, though the pass goes on behind them.

    Returns:
        For each node at which the pass ended, and each that is wanted, the cotangents of its outputs.
    """
    arrived: dict[Node, list[Any]] = {}
    waiting: list[tuple[int, Node]] = []  # a heap of the nodes in `arrived`, the latest first
    ended: dict[Node, list[Any]] = {}
    refuses_nan = looks_for_nan.get()
    for edge, cotangent in seeds:
        _deliver(arrived, waiting, edge, cotangent)
    while waiting:
        _, node = heappop(waiting)
        cotangents = arrived.pop(node)
        if node.hooks and node not in outer:
            _call_hooks(node, cotangents)
        if refuses_nan:
            _refuse_nan(cotangents, f"the cotangent of what {node.name} computed is NaN")
        is_end = not node.edges or node in ends
        if is_end or node in on_the_way:
            ended[node] = cotangents
        if is_end:
            continue
        pulled = node.pullback(cotangents)
        if refuses_nan:
            _refuse_nan(pulled, f"the rule of {node.name} made a NaN")
        for target, cotangent in zip(node.edges, pulled, strict=True):
            if target and cotangent is not None:
                _deliver(arrived, waiting, target, cotangent)
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


def _deliver(
    arrived: dict[Node, list[Any]], waiting: list[tuple[int, Node]], edge: Edge, cotangent: Any
) -> None:
    """Add a contribution to the cotangent of one output of a node, which waits from the first one on.

    The sum is a new array: adding in place would write into a cotangent that another path, or the
    caller, still uses.
    """
    node, index = edge
    slots = arrived.get(node)
    if slots is None:
        arrived[node] = [*[None] * index, cotangent] if index else [cotangent]
        heappush(waiting, (-node.number, node))
        return
    slots += [None] * (index + 1 - len(slots))
    slots[index] = cotangent if slots[index] is None else slots[index] + cotangent
