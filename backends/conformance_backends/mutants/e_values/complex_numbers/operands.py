"""Mutants whose rules are wrong at complex operands."""

from __future__ import annotations

from typing import Any

import numpy as np

from conformance.backend import Function
from conformance_backends.mutants.mutant import (
    Mutant,
    SteppedTape,
    altered_rule,
    behaviour,
    rule,
    value,
    with_ops,
)


def hermitian(right: Any, i: int, g: Any, z: Any, a: Any, b: Any) -> Any:
    """The conjugate transpose of the other operand, which is right only if the adapter declares the gradient."""
    return right(i, g, z, np.conj(a), np.conj(b))


def imaginary_slope_lost(right: Any, i: int, g: Any, z: Any, x: Any) -> Any:
    """The derivative is evaluated at the real part."""
    return right(i, g, z, x.real.astype(x.dtype)) if np.iscomplexobj(x) else right(i, g, z, x)


def imaginary_part_lost(right: Any, i: int, g: Any, z: Any, x: Any) -> Any:
    """The gradient is made real."""
    return np.real(right(i, g, z, x)).astype(x.dtype)


def conjugated_where_summed(right: Any, i: int, g: Any, z: Any, *xs: Any) -> Any:
    """Of a cotangent that is summed over broadcast axes, the conjugate."""
    pulled = right(i, g, z, *xs)
    return pulled if np.shape(g) == np.shape(xs[i]) else np.conj(pulled)


def wrong_in_single(right: Any, i: int, g: Any, z: Any, x: Any) -> Any:
    """In complex64 alone, a ten-thousandth too large."""
    return right(i, g, z, x) * (1 + 1e-4 * (x.dtype == np.complex64))


def through_single(right: Any, i: int, g: Any, z: Any, x: Any) -> Any:
    """A double gradient passes through complex64."""
    pulled = right(i, g, z, x)
    return pulled.astype(np.complex64).astype(x.dtype) if np.iscomplexobj(x) else pulled


def unconjugated() -> dict[str, Function]:
    """A sum that reads its cotangent without the mark that it is to be conjugated, which conj leaves on it."""
    marked: list[Any] = []

    def marking(right: Any, i: int, g: Any, z: Any, x: Any) -> Any:
        marked.append(pulled := right(i, g, z, x))
        return pulled

    def unread(right: Any, i: int, g: Any, z: Any, x: Any, **parameters: Any) -> Any:
        is_marked = any(g is each for each in marked)
        return right(i, np.conj(g) if is_marked else g, z, x, **parameters)

    return {"conj": altered_rule("conj", marking), "sum": altered_rule("sum", unread)}


def kept(right: Any, i: int, g: Any, z: Any, x: Any) -> Any:
    """The cotangent as it is."""
    return g


def seen_from_above(right: Any, x: Any) -> Any:
    """An imaginary part of -0 is one of 0."""
    return right(x + 0.0) if x.dtype.kind == "c" else right(x)


def value_through_single(right: Any, *xs: Any, **p: Any) -> Any:
    """A complex128 value passes through complex64."""
    found = right(*xs, **p)
    return found.astype(np.complex64).astype(found.dtype) if found.dtype.kind == "c" else found


CONVENTIONS = {**SteppedTape.conventions, "A18": "gradient"}

HOLOMORPHIC = ("op/complex",)
CONJUGATED = ("op/conjugated",)

MUTANTS: tuple[Mutant, ...] = (
    rule("conjugate-too-many", "The rule of complex matrices uses the conjugate transpose, though the adapter declares the conjugate.",
        HOLOMORPHIC, ("matmul",), hermitian),
    behaviour("conjugate-missing", "The adapter declares the gradient, and its conjugate is returned.",
        HOLOMORPHIC, ops=("multiply", "solve"), conventions=CONVENTIONS),
    rule("derivative-at-real-part", "The derivative is right for real operands, but for complex ones it is evaluated at the real part.",
        HOLOMORPHIC, ("exp", "square"), imaginary_slope_lost),
    rule("gradient-made-real", "The imaginary part of a gradient is dropped.", HOLOMORPHIC, ("sin",), imaginary_part_lost),
    rule("conjugate-where-summed", "Where a complex operand was broadcast, its gradient is the conjugate.",
        HOLOMORPHIC, ("add",), conjugated_where_summed),
    rule("wrong-in-complex64", "In complex64 alone the gradient is a ten-thousandth too large.",
        HOLOMORPHIC, ("cos",), wrong_in_single),
    rule("rounded-to-complex64", "A complex128 gradient passes through complex64.", HOLOMORPHIC, ("reciprocal",), through_single),
    value("cut-seen-from-above", "On a branch cut the value is always that above it.",
        ("op/complex-value",), ("log2", "asin"), seen_from_above),
    value("value-through-complex64", "A complex128 value passes through complex64.",
        ("op/complex-value",), ("reshape", "matmul"), value_through_single),
    Mutant("conjugation-not-read", "The rule of sum reads a cotangent that conj has marked as conjugated as if it were not.",
        CONJUGATED, lambda: with_ops(unconjugated()), ("sum",)),
    Mutant("conj-keeps-its-cotangent", "The rule of conj does not conjugate.",
        CONJUGATED, lambda: with_ops({"conj": altered_rule("conj", kept)}), ("sin", "matmul")),
)  # fmt: skip
