"""Mutants whose tangents are right, but not the tangents of those."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from conformance_backends.mutants.mutant import Mutant, SteppedTape, behaviour
from conformance_backends.numpy_engine.tensor import detach

Outputs = tuple[Any, ...]


def first_tangent(self: Any, function: Callable[..., Any], operands: Any, tangents: Any) -> Any:
    """Notes that a tangent is computed."""
    self.kept["is_forward"] = True
    try:
        return SteppedTape.jvp(self, function, operands, tangents)
    finally:
        self.kept["is_forward"] = False


def constant_in_forward_mode(
    self: Any, function: Callable[..., Any], arrays: Sequence[Any], tangents: Sequence[Any]
) -> Outputs:
    """A tangent whose tangent is computed takes its operands as constants."""
    given = [detach(x) for x in arrays] if self.kept.get("is_forward") else arrays
    return SteppedTape.nested_jvp(self, function, given, tangents)


MUTANTS: tuple[Mutant, ...] = (
    behaviour("tangent-of-tangent-lost", "A tangent is a constant where forward mode differentiates it again.",
        ("op/forward-over-forward", "contract/E4/four-orders"), ops=("tanh",), jvp=first_tangent, nested_jvp=constant_in_forward_mode),
)  # fmt: skip
