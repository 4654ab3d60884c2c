"""Mutants whose random numbers repeat what they drew for a neighbour, or come again after a failure."""

from __future__ import annotations

from typing import Any

import numpy as np

from conformance_backends import numpy_engine as engine
from conformance_backends.mutants.c_modes.randomness.random_numbers import rewinding
from conformance_backends.mutants.mutant import Mutant, behaviour
from conformance_backends.numpy_engine import drawing
from conformance_backends.numpy_engine.tensor import Tensor


def one_row(self: Any, x: Any, rate: float) -> Any:
    """One row is drawn, and dropped in all rows."""
    kept = drawing._source.generator.random(x.shape[1:]) >= rate
    scale = np.where(kept, 1 / (1 - rate) if rate < 1 else 0, 0).astype(x.dtype)
    return x * Tensor(np.broadcast_to(scale, x.shape).copy())


def half_again(self: Any, like: Any) -> Tensor:
    """The second half of the columns is the first half again."""
    drawn: Tensor = engine.bernoulli(like)
    half = like.shape[-1] // 2 if like.ndim else 0
    drawn.value[..., half : 2 * half] = drawn.value[..., :half]
    return drawn


MUTANTS: tuple[Mutant, ...] = (
    behaviour("dropout-of-one-row", "A dropout drops the same entries in every row.",
        ("contract/C12/apart",), dropout=one_row),
    behaviour("numbers-of-one-half", "The random numbers of one half of the columns are those of the other.",
        ("contract/C12/apart",), noise=half_again),
    behaviour("checkpoint-rewinds-by-failing", "After a checkpoint that could not be computed again old random numbers come again.",
        ("contract/C12/after-a-failure",), checkpoint=rewinding(by_failing=True)),
)  # fmt: skip
