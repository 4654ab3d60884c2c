"""Mutants that return gradients in shared memory."""

from __future__ import annotations

from typing import Any

import numpy as np

from conformance.backend import Backend
from conformance_backends.mutants.a_results.cotangents import keep_what_arrives
from conformance_backends.mutants.mutant import (
    Mutant,
    SteppedTape,
    altered_rule,
    behaviour,
    with_ops,
)
from conformance_backends.numpy_engine.tensor import Tensor


def share_one_buffer(self: Any, leaf: Tensor, arrived: Any) -> None:
    """Gradients of one shape live in one buffer when their values are equal."""
    same = self.kept.get((np.shape(arrived), leaf.dtype))
    fresh = np.array(arrived, dtype=leaf.dtype)
    leaf.grad = fresh if leaf.grad is None else leaf.grad + fresh
    if same is not None and np.array_equal(same, leaf.grad):
        leaf.grad = same
    self.kept[np.shape(arrived), leaf.dtype] = leaf.grad


def cotangents_passed_on(largest: float = np.inf) -> Backend:
    """No copies: the rule of add returns its cotangent, and a leaf stores the array that arrives, if it has no more entries."""
    passing_on = altered_rule(
        "add", lambda right, i, g, z, x, y: g if x.shape == y.shape else right(i, g, z, x, y)
    )

    def accumulate(self: Any, leaf: Tensor, arrived: Any) -> None:
        (keep_what_arrives if np.size(arrived) <= largest else SteppedTape.accumulate)(self, leaf, arrived)

    return with_ops({"add": passing_on}, type("Keeping", (SteppedTape,), {"accumulate": accumulate}))


OWN = ("op/gradients-own-memory",)

MUTANTS: tuple[Mutant, ...] = (
    behaviour("gradients-share-a-buffer", "Equal gradients of two operands are one array.",
        (*OWN, "contract/B5/own-memory"), ops=("add",), accumulate=share_one_buffer),
    behaviour("gradient-is-a-view", "The gradient of sum is a broadcast view that cannot be written.",
        OWN, ops=("sum",), accumulate=keep_what_arrives),
    Mutant("gradients-through-views-shared", "add passes its cotangent on without a copy, and a leaf stores the array that arrives.",
        ("contract/D8/through-views",), cotangents_passed_on, ("add",)),
)  # fmt: skip
