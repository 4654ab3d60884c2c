"""Mutants that are wrong in programs of several ops."""

from __future__ import annotations

from typing import Any

import numpy as np

from conformance_backends.mutants.b_graph.accumulation import propagate_with
from conformance_backends.mutants.mutant import (
    LeafCotangents,
    Mutant,
    SteppedTape,
    altered_rule,
    behaviour,
    with_ops,
)
from conformance_backends.numpy_engine.graph import Edge, Node


def last_kept_after_a_cast(self: Any, edge: Edge, cotangent: Any) -> LeafCotangents:
    """Contributions are added until one in another precision than the seed's has been seen."""
    seen = set()

    def noted(g: Any) -> Any:
        seen.add(g.dtype)
        return g

    return propagate_with(
        lambda before, g: before + g if seen == {cotangent.dtype} else g, edge, cotangent, noted
    )


def joined_in_place(before: Any, g: Any) -> Any:
    """The sum is written into the first contribution, which another path may hold."""
    if isinstance(before, np.ndarray) and before.flags.writeable:
        before += g
        return before
    return before + g


def breadth_first(self: Any, edge: Edge, cotangent: Any) -> LeafCotangents:
    """A node propagates when first reached, and later contributions are lost."""
    arrived: dict[Node, Any] = {edge[0]: cotangent}
    queue, done, ended = [edge], set(), {}
    while queue:
        node, index = queue.pop(0)
        if not node.edges:
            ended[node] = [arrived[node]]
            continue
        if node in done:
            continue
        done.add(node)
        for target, g in zip(node.edges, node.pullback([None] * index + [arrived[node]]), strict=True):
            if target is not None and g is not None:
                arrived[target[0]] = arrived[target[0]] + g if target[0] in arrived else g
                queue.append(target)
    return ended


def passed_on(right: Any, i: int, g: Any, z: Any, *xs: Any) -> Any:
    """Both operands of a sum get the upstream cotangent itself."""
    return g if np.shape(xs[i]) == np.shape(g) else right(i, g, z, *xs)


class AddsInPlace(SteppedTape):
    """A backward pass that adds contributions in place."""

    def traverse(self, edge: Edge, cotangent: Any) -> LeafCotangents:
        """The backward pass; its seed is a copy, so that the caller's array does not change."""
        return propagate_with(joined_in_place, edge, np.array(cotangent))


MUTANTS: tuple[Mutant, ...] = (
    Mutant("added-in-place", "A sum of contributions is written into an array that another path uses.",
        ("program/composition", "program/differences",), lambda: with_ops({"add": altered_rule("add", passed_on)}, AddsInPlace), ("add",)),
    behaviour("last-kept-after-a-cast", "After a change of precision only the last contribution counts.",
        ("program/composition",), traverse=last_kept_after_a_cast),
    behaviour("late-contributions-lost", "A node propagates before its last contribution has arrived.",
        ("program/composition", "program/differences",), traverse=breadth_first),
)  # fmt: skip
