"""Mutants that show a wrong graph."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from conformance.backend import GraphNode
from conformance_backends import numpy_engine as engine
from conformance_backends.mutants.mutant import Mutant, SteppedTape, behaviour


def shown(change: Any) -> Any:
    """A `graph` whose nodes are changed, from the leaves up."""

    def rebuilt(node: GraphNode | None) -> GraphNode | None:
        return None if node is None else change(replace(node, inputs=tuple(map(rebuilt, node.inputs))))

    return lambda self, output: rebuilt(SteppedTape.graph(self, output))


def leafless(node: GraphNode) -> GraphNode:
    """A node whose leaves are missing."""
    return replace(node, inputs=tuple(n if n and n.inputs else None for n in node.inputs))


def through_identity(node: GraphNode) -> GraphNode:
    """A node behind one that does nothing."""
    return GraphNode("identity", (node,)) if node.inputs else node


def without_constants(node: GraphNode) -> GraphNode:
    """A node whose edges close up where an operand is a constant."""
    return replace(node, inputs=tuple(n for n in node.inputs if n))


MUTANTS: tuple[Mutant, ...] = (
    behaviour("edges-reversed", "The edges of a node are in reverse operand order.",
        ("contract/B17/graph-nodes", "example/W3/graph-is-shown"),
        graph=shown(lambda node: replace(node, inputs=node.inputs[::-1]))),
    behaviour("accumulation-missing", "The graph has no accumulation nodes.",
        ("contract/B17/graph-nodes", "example/W3/graph-is-shown"), graph=shown(leafless)),
    behaviour("every-node-names-a-variable", "Nodes of operations name a variable too.",
        ("contract/B17/graph-nodes", "example/W3/graph-is-shown"),
        graph=shown(lambda node: replace(node, names_variable=True))),
    behaviour("leaf-copied", "The variable of an accumulation node is a copy of the leaf.",
        ("contract/B17/graph-nodes",),
        graph=shown(lambda n: n if n.inputs else replace(n, variable=engine.Tensor(n.variable)))),
    behaviour("identities-between", "Between an operation and its operands the graph has nodes that do nothing.",
        ("contract/B17/graph-nodes",), graph=shown(through_identity)),
    behaviour("edges-close-up", "A constant operand has no edge, so that those behind it move up.",
        ("contract/B17/constant-edges",), graph=shown(without_constants)),
)  # fmt: skip
