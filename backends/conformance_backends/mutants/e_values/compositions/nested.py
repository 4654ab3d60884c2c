"""Mutants that take a derivative within another, by the same lines of Python, for one that they know."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from conformance_backends.mutants.mutant import Mutant, SteppedTape, behaviour


def doubled_within_its_own_code(
    self: Any, function: Callable[..., Any], arrays: Sequence[Any], tangents: Sequence[Any]
) -> tuple[Any, ...]:
    """The tangent of a function, while that of another one of the same code is computed, counts twice."""
    running = self.kept.setdefault("running", [])
    code = getattr(function, "__code__", function)
    is_within = code in running
    running.append(code)
    try:
        pushed: tuple[Any, ...] = SteppedTape.nested_jvp(self, function, arrays, tangents)
    finally:
        running.pop()
    return tuple(t + t for t in pushed) if is_within else pushed


MUTANTS: tuple[Mutant, ...] = (
    behaviour("tangents-doubled-within-their-own-code", "A tangent that is computed within that of another function of the same code is doubled.",
        ("contract/E4/three-deep-forward",), nested_jvp=doubled_within_its_own_code),
)  # fmt: skip
