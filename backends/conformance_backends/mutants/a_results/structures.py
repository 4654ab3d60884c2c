"""Mutants that return gradients in another structure than that of the operands."""

from __future__ import annotations

from typing import Any

from conformance_backends.mutants.mutant import Mutant, SteppedTape, behaviour


def sorted_by_key(self: Any, function: Any, structure: Any) -> Any:
    """The gradients of a dictionary are computed in insertion order, and assigned in the sorted order of its keys."""
    gradient = SteppedTape.structured_gradient(self, function, structure)
    if isinstance(gradient, dict):
        gradient["rest"] = dict(
            zip(gradient["rest"], [gradient["rest"][k] for k in sorted(gradient["rest"])], strict=True)
        )
    return gradient


def flattened(self: Any, function: Any, structure: Any) -> Any:
    """The gradients are returned as one flat tuple."""
    gradient = SteppedTape.structured_gradient(self, function, structure)
    return gradient if isinstance(gradient, dict) else (gradient[0], *gradient[1])


MUTANTS: tuple[Mutant, ...] = (
    behaviour("structure-in-order-of-keys", "The gradients of a dictionary are assigned in the sorted order of its keys.",
        ("contract/A21/same-structure",), structured_gradient=sorted_by_key),
    behaviour("nested-structure-flattened", "The gradients of nested tuples are returned flat.",
        ("contract/A21/same-structure",), structured_gradient=flattened),
)  # fmt: skip
