"""Mutants that write into memory they should only read, or return shared memory."""

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
    rule,
    value,
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


def into_the_output(right: Any, i: int, g: Any, z: Any, x: Any) -> Any:
    """z is used as scratch space."""
    np.multiply(g, z, out=z)
    return z.copy()


def into_the_operand(right: Any, i: int, g: Any, z: Any, x: Any) -> Any:
    """cos x is computed in the memory of x."""
    np.cos(x, out=x)
    return g * x


def cotangents_passed_on() -> Backend:
    """No copies: the rule of add returns its cotangent, and a leaf stores the array that arrives."""
    passing_on = altered_rule(
        "add", lambda right, i, g, z, x, y: g if x.shape == y.shape else right(i, g, z, x, y)
    )
    keeping = type("Keeping", (SteppedTape,), {"accumulate": keep_what_arrives})
    return with_ops({"add": passing_on}, keeping)


def sorted_in_place(right: Any, x: Any, axis: int) -> Any:
    """x.sort() for np.sort(x)."""
    x.sort(axis=axis)
    return x.copy()


def shifted_in_place(right: Any, x: Any, axis: int) -> Any:
    """A softmax that shifts its operand in place."""
    x -= x.max(axis=axis, keepdims=True)
    return right(x, axis=axis)


OWN = ("op/gradients-own-memory",)

MUTANTS: tuple[Mutant, ...] = (
    behaviour("gradients-share-a-buffer", "Equal gradients of two operands are one array.",
        (*OWN, "contract/B5/own-memory"), ops=("add",), accumulate=share_one_buffer),
    behaviour("gradient-is-a-view", "The gradient of sum is a broadcast view that cannot be written.",
        OWN, ops=("sum",), accumulate=keep_what_arrives),
    Mutant("gradients-through-views-shared", "add passes its cotangent on without a copy, and a leaf stores the array that arrives.",
        ("contract/D8/through-views",), cotangents_passed_on, ("add",)),
    rule("backward-writes-output", "The rule of exp uses its output as scratch space.",
        ("op/backward-untouched",), ("exp",), into_the_output),
    rule("backward-writes-operand", "The rule of sin computes the cosine in the operand's memory.",
        ("op/backward-untouched",), ("sin",), into_the_operand),
    value("forward-sorts-in-place", "A sort sorts its operand.", ("op/forward-untouched",), ("sort",), sorted_in_place),
    value("forward-shifts-in-place", "A softmax shifts its operand.",
        ("op/forward-untouched",), ("softmax",), shifted_in_place),
)  # fmt: skip
