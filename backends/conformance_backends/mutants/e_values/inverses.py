"""Mutants that break an identity between an op and its inverse."""

from __future__ import annotations

from typing import Any

import numpy as np

from conformance_backends.mutants.mutant import Mutant, rule


def parts_reversed(right: Any, i: int, g: Any, z: Any, x: Any, **p: Any) -> Any:
    """The parts' cotangents are joined from the last to the first."""
    return right(i, g[::-1], z, x, **p)


def in_equal_parts(right: Any, i: int, g: Any, z: Any, *xs: Any, axis: int) -> Any:
    """A concatenation's cotangent is split into equal parts, each resized to its operand."""
    if np.shape(g)[axis] % len(xs):
        return right(i, g, z, *xs, axis=axis)
    return np.resize(np.split(g, len(xs), axis=axis)[i], xs[i].shape)


def _signs_alike(right: Any, i: int, g: Any, z: Any, x: Any, y: Any) -> Any:
    return right(0, g, z, x, y) if x.shape == y.shape else right(i, g, z, x, y)


MUTANTS: tuple[Mutant, ...] = (
    rule("operand-for-the-root", "The derivative of sqrt divides by the operand instead of its root.",
        ("op/inverse", "op/euler", "op/vjp"), ("sqrt",), lambda right, i, g, z, x: g * 0.5 / x),
    rule("parts-reversed", "The cotangents of a split are joined from the last to the first.",
        ("op/inverse", "op/vjp"), ("split",), parts_reversed),
    rule("concatenation-split-equally", "The cotangent of concat is split into equal parts.",
        ("op/vjp", "op/inverse"), ("concat",), in_equal_parts),
    rule("signs-alike", "The second operand of subtract receives a gradient of the wrong sign where the shapes are equal.",
        ("op/vjp", "op/shift", "contract/E7/cancelling"), ("subtract",), _signs_alike),
)  # fmt: skip
