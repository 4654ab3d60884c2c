"""Mutants that are fast, but wrong: in timed calls the gradient must be right."""

from __future__ import annotations

from typing import Any

from conformance_backends.mutants.mutant import Mutant, SteppedTape, behaviour
from conformance_backends.numpy_engine.tensor import Tensor


def after(times: int) -> Any:
    """A gradient() that is halved from the call after so many on."""

    def gradient(self: Any, function: Any, operands: Any) -> Any:
        made = SteppedTape.gradient(self, function, operands)
        self.kept["calls"] = self.kept.get("calls", 0) + 1
        return made if self.kept["calls"] <= times else tuple(g * 0.5 for g in made)

    return gradient


def transposed_batch(self: Any, leaf: Tensor, arrived: Any) -> None:
    """Gradients of tall matrices are accumulated in reverse order of rows."""
    is_tall = arrived.ndim == 2 and arrived.shape[0] > 100
    SteppedTape.accumulate(self, leaf, arrived[::-1] if is_tall else arrived)


MUTANTS: tuple[Mutant, ...] = (
    behaviour("right-the-first-time", "The first gradient is right, and later ones are halved.",
        ("contract/F4/calls", "contract/F6/cold-start"), gradient=after(1)),
    behaviour("halved-from-the-start", "Every gradient of a call without a cotangent is halved.",
        ("contract/F1/time", "contract/F2/memory"), gradient=after(0)),
    behaviour("tall-upside-down", "The gradient of a matrix of more than a hundred rows is upside down.",
        ("contract/F2/memory",), accumulate=transposed_batch),
)  # fmt: skip
