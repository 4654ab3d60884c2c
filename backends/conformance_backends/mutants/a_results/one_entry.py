"""Mutants that take a gradient argument of one entry wrongly."""

from __future__ import annotations

from typing import Any

import numpy as np

from conformance_backends.mutants.mutant import Mutant, SteppedTape, behaviour
from conformance_backends.numpy_engine.tensor import Tensor


def of_one_entry_is_one(self: Any, output: Tensor, gradient: Any) -> Any:
    """A gradient argument of one entry for a 0-d output counts as 1."""
    given = None if gradient is None else np.asarray(getattr(gradient, "value", gradient))
    is_other = given is not None and given.size == 1 and given.shape != output.shape
    return SteppedTape.seed(self, output, np.ones(output.shape, output.dtype) if is_other else gradient)


MUTANTS: tuple[Mutant, ...] = (
    behaviour("one-entry-is-one", "A gradient argument of one entry and another shape than the output counts as 1.",
        ("contract/A4/one-entry",), seed=of_one_entry_is_one),
)  # fmt: skip
