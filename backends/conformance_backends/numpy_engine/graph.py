"""The graph: what a computation leaves behind, and how cotangents travel back along it.

Every operation on tensors that need a gradient leaves a `Node`. A node knows its rule (how a
cotangent of its output becomes cotangents of its operands) and its edges (which nodes made those
operands). A leaf, a tensor the user made, has an `Accumulation` node: the place where cotangents end
up, and the only kind of node that knows a variable.

The walk back answers two questions at every node:

*Why is everything multiplied by the upstream cotangent?* A node knows only its own slope, dz/dx. What
the final output L feels is dL/dx = dL/dz · dz/dx, and dL/dz is what comes from upstream. For an array
z the pair (dL/dz, dz/dx) is a vector and a matrix, and the rule multiplies them without ever
building the matrix: a vector-Jacobian product.

*Why must a node wait?* A value used k times influences the output along k paths, and its cotangent
is the sum of k contributions (the multivariable chain rule). Propagating each alone would walk
every path of the graph, exponentially many in a chain of diamonds; so a node propagates once,
after its last consumer has delivered: in topological order (Griewank & Walther 2008, ch. 3).
"""

from __future__ import annotations

import contextlib
import contextvars
from collections.abc import Callable, Container, Iterator, Sequence
from typing import Any

import numpy as np

_recording = contextvars.ContextVar("recording", default=True)
looks_for_nan = contextvars.ContextVar("looks_for_nan", default=False)


def is_recording() -> bool:
    """Whether operations leave nodes behind just now, in this thread."""
    return _recording.get()


@contextlib.contextmanager
def set_recording(flag: bool) -> Iterator[None]:
    """Record, or do not, until the block ends, by whatever way it ends."""
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
    output's index and what is to be shown its cotangent.
    """

    __slots__ = ("__weakref__", "edges", "hooks", "name", "pullback")

    def __init__(self, name: str, edges: Sequence[Edge | None], pullback: Pullback) -> None:
        self.name = name
        self.edges = tuple(edges)
        self.pullback = pullback
        self.hooks: tuple[tuple[int, Hook], ...] = ()

    @property
    def inputs(self) -> tuple[Node | None, ...]:
        """The nodes that made the operands, in operand order; None for a constant."""
        return tuple(edge[0] if edge else None for edge in self.edges)

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.name}>"


class Accumulation(Node):
    """Where the cotangents of one leaf end up: the only node that knows a variable."""

    __slots__ = ("variable",)

    def __init__(self, variable: Any) -> None:
        super().__init__("accumulate", (), lambda cotangents: ())
        self.variable = variable


Edge = tuple[Node, int]
Pullback = Callable[[Sequence[Any]], Sequence[Any]]
Hook = Callable[[Any], Any]


def count_consumers(roots: Sequence[Node], ends: Container[Node] = ()) -> dict[Node, int]:
    """For every node from `roots` back to `ends`, from how many edges it will receive a cotangent."""
    consumers: dict[Node, int] = dict.fromkeys(roots, 0)
    to_visit = list(consumers)
    while to_visit:  # a list, not recursion: a graph may be a hundred thousand nodes deep
        node = to_visit.pop()
        for edge in () if node in ends else node.edges:
            if edge is None:
                continue
            if edge[0] not in consumers:
                consumers[edge[0]] = 0
                to_visit.append(edge[0])
            consumers[edge[0]] += 1
    return consumers


def walk_back(seeds: Sequence[tuple[Edge, Any]], ends: Container[Node] = ()) -> dict[Node, list[Any]]:
    """Carry the seeds' cotangents back to the leaves.

    Args:
        seeds: pairs of an edge (whose cotangent is known) and that cotangent.
        ends: nodes to stop at, besides those that have no edges.

    Returns:
        For each node at which the walk ended, the cotangents of its outputs.
    """
    arrived: dict[Node, list[Any]] = {}
    for edge, cotangent in seeds:
        _deliver(arrived, edge, cotangent)
    awaited = count_consumers([edge[0] for edge, _ in seeds], ends)
    ready = [node for node, count in awaited.items() if count == 0]
    ended: dict[Node, list[Any]] = {}
    while ready:
        node = ready.pop()
        cotangents = _shown(node, arrived.pop(node, []))
        if not node.edges or node in ends:
            ended[node] = cotangents
            continue
        has_any = any(cotangent is not None for cotangent in cotangents)
        downstream = _pulled(node, cotangents) if has_any else (None,) * len(node.edges)
        for target, cotangent in zip(node.edges, downstream, strict=True):
            if target is None:
                continue
            if cotangent is not None:
                _deliver(arrived, target, cotangent)
            awaited[target[0]] -= 1
            if awaited[target[0]] == 0:
                ready.append(target[0])
    return ended


def _shown(node: Node, cotangents: list[Any]) -> list[Any]:
    """The summed cotangents of a node after its hooks have seen them; what a hook returns takes their place."""
    for index, hook in node.hooks:
        if index < len(cotangents) and cotangents[index] is not None:
            replacement = hook(cotangents[index])
            cotangents[index] = cotangents[index] if replacement is None else replacement
    if looks_for_nan.get():
        _refuse_nan(cotangents, f"the cotangent of what {node.name} computed is NaN")
    return cotangents


def _pulled(node: Node, cotangents: list[Any]) -> Sequence[Any]:
    """The node's rule applied; under `anomaly` no NaN leaves it unnoticed."""
    downstream = node.pullback(cotangents)
    if looks_for_nan.get():
        _refuse_nan(downstream, f"the rule of {node.name} made a NaN")
    return downstream


def _refuse_nan(cotangents: Sequence[Any], message: str) -> None:
    if any(cotangent is not None and np.any(np.isnan(cotangent)) for cotangent in cotangents):
        raise FloatingPointError(message)


def _deliver(arrived: dict[Node, list[Any]], edge: Edge, cotangent: Any) -> None:
    """Add a contribution to what has arrived at one output of a node.

    The sum is a new array: adding in place would write into a cotangent that another path, or the
    caller, still holds.
    """
    node, index = edge
    slots = arrived.setdefault(node, [])
    slots.extend([None] * (index + 1 - len(slots)))
    slots[index] = cotangent if slots[index] is None else np.add(slots[index], cotangent)


# ---- what a rule is given, and what it gives ---------------------------------------------------


def complete(cotangents: Sequence[Any], outputs: Any) -> Any:
    """The cotangents of all outputs: one that is missing is zero."""
    if not isinstance(outputs, tuple):
        return cotangents[0]
    given = [*cotangents, *[None] * (len(outputs) - len(cotangents))]
    return tuple(np.zeros_like(z) if g is None else g for g, z in zip(given, outputs, strict=True))


def fitted(cotangent: Any, operand: Any) -> Any:
    """The cotangent in its operand's dtype: mixed precision must not leak into a gradient.

    A real operand moves along the real axis alone, so that of a complex cotangent it receives the real part.
    """
    if cotangent is None or cotangent.dtype == operand.dtype:
        return cotangent
    is_turned = cotangent.dtype.kind == "c" and operand.dtype.kind == "f"
    return (np.real(cotangent) if is_turned else cotangent).astype(operand.dtype)
