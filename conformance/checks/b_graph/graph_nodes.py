"""The recorded graph as engines show it (B17)."""

from __future__ import annotations

from typing import Any

from conformance.backend import Backend, Capability, GraphNode
from conformance.checks.engine_calls import tape_of
from conformance.checks.registry import contract
from conformance.checks.sample import Sample
from conformance.errors import Violation
from conformance.ops.names import ADD, MULTIPLY


@contract("B17", "graph-nodes", Capability.GRAPH, is_about_outcome=True)
def graph_has_a_node_per_op_and_edges_in_operand_order(engine: Backend, sample: Sample) -> None:
    """The graph has a node per op, edges in operand order, and an accumulation node at each leaf."""
    tape = tape_of(engine)
    add, multiply = engine.op(ADD), engine.op(MULTIPLY)
    a, b, d = (tape.leaf(sample.array()) for _ in range(3))
    product = tape.graph(multiply(add(a, b), d))
    _hold_inputs(product, 2)
    total, leaf_d = product.inputs
    _hold_leaf(leaf_d, d)
    _hold_inputs(total, 2)
    for node, leaf in zip(total.inputs if total else (), (a, b), strict=True):
        _hold_leaf(node, leaf)
    if total is not None and (product.names_variable or total.names_variable):
        raise Violation("a node of an operation has a variable; only accumulation nodes may have one")


@contract("B17", "constant-edges", Capability.GRAPH, is_about_outcome=True)
def constant_keeps_its_empty_place_among_the_edges(engine: Backend, sample: Sample) -> None:
    """A constant operand, given or computed from constants, has an empty edge at its position."""
    tape = tape_of(engine)
    add, multiply = engine.op(ADD), engine.op(MULTIPLY)
    leaf = tape.leaf(sample.array())
    given = engine.array(sample.array())
    for constant in (given, multiply(given, given)):
        for place in range(2):
            operands = [constant, constant]
            operands[place] = leaf
            for op in (add, multiply):
                node = tape.graph(op(*operands))
                _hold_inputs(node, 2)
                edges = node.inputs if node else ()
                _hold_leaf(edges[place], leaf)
                if (found := edges[1 - place]) is not None:
                    raise Violation(f"the edge of a constant leads to {found.name}")


def _hold_inputs(node: GraphNode | None, count: int) -> None:
    if node is None or len(node.inputs) != count:
        found = None if node is None else f"{node.name} with {len(node.inputs)} edges"
        raise Violation(f"expected a node of {count} edges, found {found}")


def _hold_leaf(node: GraphNode | None, leaf: Any) -> None:
    if node is None or node.inputs or not node.names_variable:
        raise Violation(f"expected the accumulation node of a leaf, found {node and node.name}")
    if node.variable is not leaf:
        raise Violation("an edge does not lead to the operand at its position")
