"""Mutants that keep memory too long, or fail on deep graphs."""

from __future__ import annotations

from typing import Any

import numpy as np

from conformance_backends.mutants.b_graph.accumulation import propagate_with
from conformance_backends.mutants.mutant import LeafCotangents, Mutant, SteppedTape, behaviour, with_ops
from conformance_backends.numpy_engine.graph import Edge, Node, backward_pass
from conformance_backends.numpy_engine.tensor import Tensor


def by_recursion(self: Any, edge: Edge, cotangent: Any) -> LeafCotangents:
    """A recursive depth-first search of the graph before the backward pass."""
    seen: set[Node] = set()

    def visit(node: Node) -> None:
        seen.add(node)
        for behind in node.inputs:
            if behind is not None and behind not in seen:
                visit(behind)

    visit(edge[0])
    return propagate_with(np.add, edge, cotangent)


def keeping_outputs(keep: Any) -> Any:
    """A multiplication that calls `keep(backend, output)` for each output."""

    def make() -> Any:
        right = SteppedTape.ops["multiply"]

        def multiply(*operands: Any) -> Any:
            output = right(*operands)
            keep(backend, output)
            return output

        backend = with_ops({"multiply": multiply}, SteppedTape)
        return backend

    return make


def on_a_list(backend: Any, output: Tensor) -> None:
    """Every output is appended to a list."""
    backend.kept.setdefault("outputs", []).append(output)


def in_a_cycle(backend: Any, output: Tensor) -> None:
    """A node references its output, which references its node."""
    node = output.node
    if node is not None:
        node.pullback = lambda cotangents, right=node.pullback, z=output: right(cotangents)  # type: ignore[misc]


def backward_passes_stored(self: Any, edge: Edge, cotangent: Any) -> LeafCotangents:
    """The seed of every backward pass is stored."""
    self.kept.setdefault("seeds", []).append((edge, cotangent))
    return backward_pass([(edge, cotangent)])


def recursing_far(self: Any, edge: Edge, cotangent: Any) -> LeafCotangents:
    """A backward pass that refuses graphs of more than 65 536 nodes."""
    seen, waiting = {edge[0]}, [edge[0]]
    while waiting:
        for behind in waiting.pop().inputs:
            if behind is not None and behind not in seen:
                seen.add(behind)
                waiting.append(behind)
    if len(seen) > 2**16:
        raise RecursionError("the graph is too deep")
    return backward_pass([(edge, cotangent)])


MUTANTS: tuple[Mutant, ...] = (
    behaviour("traversed-by-recursion", "The backward pass traverses the graph by recursion.",
        ("contract/B11/deep-chain", "capability/deep"), traverse=by_recursion),
    Mutant("outputs-listed", "Every output stays referenced by a list.",
        ("contract/B12/freed",), keeping_outputs(on_a_list), ("multiply",)),
    Mutant("outputs-in-a-cycle", "A node and its output reference each other.",
        ("contract/B12/freed",), keeping_outputs(in_a_cycle), ("multiply",)),
    behaviour("backward-passes-stored", "Every backward pass is stored.", ("contract/B12/freed",), traverse=backward_passes_stored),
    behaviour("too-long-refused", "A graph of more than 65 536 nodes is refused, though the adapter declares 100 000.",
        ("contract/B11/long-chain",), traverse=recursing_far),
)  # fmt: skip
