"""Mutants that are wrong in graphs of some sizes."""

from __future__ import annotations

from typing import Any

from conformance_backends.mutants.mutant import LeafCotangents, Mutant, behaviour
from conformance_backends.numpy_engine.graph import Accumulation, Edge, Node, backward_pass


def nodes_behind(edge: Edge) -> list[Node]:
    """Every node of a graph, each once."""
    seen, waiting = {edge[0]: None}, [edge[0]]
    while waiting:
        for behind in waiting.pop().inputs:
            if behind is not None and behind not in seen:
                seen[behind] = None
                waiting.append(behind)
    return list(seen)


def doubled_between(low: int, high: int) -> Any:
    """A backward pass that doubles every gradient in graphs of so many nodes."""

    def traverse(self: Any, edge: Edge, cotangent: Any) -> LeafCotangents:
        ended = backward_pass([(edge, cotangent)])
        is_wrong = low <= len(nodes_behind(edge)) < high
        return {node: [g + g for g in gs] for node, gs in ended.items()} if is_wrong else ended

    return traverse


def sixth_leaf_lost(self: Any, edge: Edge, cotangent: Any) -> LeafCotangents:
    """A backward pass that reaches five leaves at most."""
    ended = backward_pass([(edge, cotangent)])
    return dict(list(ended.items())[:5])


def equal_leaves_share(self: Any, edge: Edge, cotangent: Any) -> LeafCotangents:
    """Of leaves of equal values each has the gradient of the first."""
    ended = backward_pass([(edge, cotangent)])
    first: dict[bytes, list[Any]] = {}
    return {
        node: first.setdefault(node.variable.value.tobytes(), gs) if isinstance(node, Accumulation) else gs
        for node, gs in ended.items()
    }


MUTANTS: tuple[Mutant, ...] = (
    behaviour("wrong-from-100-nodes", "In graphs of 100 to 5 000 nodes every gradient is doubled.",
        ("contract/B1/graph-sizes",), traverse=doubled_between(100, 5000)),
    behaviour("wrong-at-65-nodes", "In graphs of 65 to 68 nodes every gradient is doubled.",
        ("contract/B1/graph-sizes",), traverse=doubled_between(65, 69)),
    behaviour("sixth-leaf-lost", "Of the leaves of a graph five get a gradient.",
        ("contract/B1/several-leaves",), traverse=sixth_leaf_lost),
    behaviour("equal-leaves-share", "Leaves of equal values all have the gradient of the first.",
        ("contract/B1/several-leaves", "contract/B1/same-operand-twice"), traverse=equal_leaves_share),
)  # fmt: skip
