"""Mutants that write into operands or outputs."""

from __future__ import annotations

from typing import Any

import numpy as np

from conformance_backends.mutants.mutant import (
    Mutant,
    rule,
    value,
)


def into_the_output(right: Any, i: int, g: Any, z: Any, x: Any) -> Any:
    """z is used as scratch space."""
    np.multiply(g, z, out=z)
    return z.copy()


def into_the_operand(right: Any, i: int, g: Any, z: Any, x: Any) -> Any:
    """cos x is computed in the memory of x."""
    np.cos(x, out=x)
    return g * x


def sorted_in_place(right: Any, x: Any, axis: int) -> Any:
    """x.sort() for np.sort(x)."""
    x.sort(axis=axis)
    return x.copy()


def shifted_in_place(right: Any, x: Any, axis: int) -> Any:
    """A softmax that shifts its operand in place."""
    x -= x.max(axis=axis, keepdims=True)
    return right(x, axis=axis)


MUTANTS: tuple[Mutant, ...] = (
    rule("backward-writes-output", "The rule of exp uses its output as scratch space.",
        ("op/backward-untouched",), ("exp",), into_the_output),
    rule("backward-writes-operand", "The rule of sin computes the cosine in the operand's memory.",
        ("op/backward-untouched",), ("sin",), into_the_operand),
    value("forward-sorts-in-place", "A sort sorts its operand.", ("op/forward-untouched",), ("sort",), sorted_in_place),
    value("forward-shifts-in-place", "A softmax shifts its operand.",
        ("op/forward-untouched",), ("softmax",), shifted_in_place),
)  # fmt: skip
