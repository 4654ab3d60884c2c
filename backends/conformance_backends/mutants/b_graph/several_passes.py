"""Mutants that lose, or count too often, what arrives at a leaf in a second backward pass."""

from __future__ import annotations

from operator import add
from typing import Any

import numpy as np

from conformance_backends.mutants.b_graph.accumulation import propagate_with
from conformance_backends.mutants.mutant import LeafCotangents, Mutant, SteppedTape, behaviour
from conformance_backends.numpy_engine.graph import Edge
from conformance_backends.numpy_engine.tensor import Tensor

MOST = 7  # contributions that are added at once


class ReplacedThroughPools(SteppedTape):
    """A gradient that comes from a pool replaces what its leaf has stored."""

    def __init__(self) -> None:
        super().__init__()
        right = type(self).ops["avg_pool2d"]

        def noting(x: Any, **parameters: Any) -> Any:
            self.kept.setdefault("pooled", []).append(x)
            return right(x, **parameters)

        self.ops = {**type(self).ops, "avg_pool2d": noting}  # type: ignore[misc]

    def accumulate(self, leaf: Tensor, arrived: Any) -> None:
        """The engine's, from nothing where the leaf was pooled."""
        if any(leaf is x for x in self.kept.get("pooled", [])):
            leaf.grad = None
        super().accumulate(leaf, arrived)


class AddedInTurns(SteppedTape):
    """Five to seven contributions are each added to what a leaf has stored already."""

    def traverse(self, edge: Edge, cotangent: Any) -> LeafCotangents:
        """The engine's pass, whose sums are counted."""
        self.kept["sums"] = 0

        def counting(first: Any, second: Any) -> Any:
            self.kept["sums"] += 1
            return add(first, second)

        return propagate_with(counting, edge, cotangent)

    def accumulate(self, leaf: Tensor, arrived: Any) -> None:
        """The engine's, and once more what was stored."""
        before = leaf.grad
        super().accumulate(leaf, arrived)
        if before is not None and 5 <= self.kept["sums"] + 1 <= MOST:
            leaf.grad = np.asarray(leaf.grad + before)


MUTANTS: tuple[Mutant, ...] = (
    behaviour("pool-replaces-the-stored", "A gradient that comes from a pool replaces what its leaf has stored.",
        ("contract/B3/every-op",), ops=("avg_pool2d",), base=ReplacedThroughPools),
    behaviour("some-uses-count-the-stored", "Five to seven contributions count what a leaf has stored once more.",
        ("contract/B3/many-uses",), base=AddedInTurns),
)  # fmt: skip
