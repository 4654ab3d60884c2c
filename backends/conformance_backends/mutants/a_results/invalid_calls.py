"""Mutants that accept calls without a meaning."""

from __future__ import annotations

from typing import Any

from conformance_backends.mutants.mutant import Mutant, SteppedTape, value, with_ops


def truncated_to_fit(a: Any, b: Any) -> Any:
    """Operands whose shapes do not fit are truncated to the shorter one."""
    if a.ndim == b.ndim == 1 and 1 not in a.shape + b.shape:
        shortest = min(len(a.value), len(b.value))
        a, b = a[:shortest], b[:shortest]
    return MULTIPLY(a, b)


def inner_truncated(right: Any, a: Any, b: Any) -> Any:
    """A product of matrices over as many inner entries as both have."""
    inner = min(a.shape[-1], b.shape[-2]) if a.ndim > 1 and b.ndim > 1 else None
    return right(a, b) if inner is None else right(a[..., :inner], b[..., :inner, :])


def axis_wrapped(x: Any, axis: int) -> Any:
    """An axis out of range wraps around."""
    return SOFTMAX(x, axis=axis % x.ndim)


MULTIPLY = SteppedTape.ops["multiply"]


SOFTMAX = SteppedTape.ops["softmax"]


MUTANTS: tuple[Mutant, ...] = (
    Mutant("misfits-truncated", "Operands whose shapes do not fit are truncated to the shorter one.",
        ("op/invalid-call",), lambda: with_ops({"multiply": truncated_to_fit}), ("multiply",)),
    value("inner-dimension-truncated", "A product of matrices whose inner dimensions differ is accepted.",
        ("op/invalid-call",), ("matmul",), inner_truncated),
    Mutant("axis-wrapped", "An axis out of range wraps around.",
        ("op/invalid-call",), lambda: with_ops({"softmax": axis_wrapped}), ("softmax",)),
)  # fmt: skip
