"""Mutants that keep what an op made."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from conformance_backends.mutants.mutant import Mutant, SteppedTape, with_ops


def keeping(name: str, *, is_cycle: bool) -> Callable[[], Any]:
    """An op whose nodes stay referenced by a list, or by themselves in a cycle."""

    def make() -> Any:
        kept: list[Any] = []

        def call(*operands: Any, **parameters: Any) -> Any:
            output = SteppedTape.ops[name](*operands, **parameters)
            node = output.node
            if node is not None and is_cycle:
                node.pullback = lambda cotangents, right=node.pullback, z=output: right(cotangents)
            elif node is not None:
                kept.append(node)
            return output

        return with_ops({name: call}, SteppedTape)

    return make


MUTANTS: tuple[Mutant, ...] = (
    Mutant("tangent-nodes-listed", "Every node of a tangent stays referenced by a list.",
        ("contract/B12/every-op",), keeping("tan", is_cycle=False), ("tan",)),
    Mutant("add-nodes-listed", "Every node of a sum stays referenced by a list.",
        ("contract/B12/every-op",), keeping("add", is_cycle=False), ("add",)),
    Mutant("reshaped-in-a-cycle", "The node of a reshaped array and its output reference each other.",
        ("contract/B12/freed-chain",), keeping("reshape", is_cycle=True), ("reshape",)),
)  # fmt: skip
