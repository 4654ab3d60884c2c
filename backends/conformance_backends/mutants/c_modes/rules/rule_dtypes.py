"""Mutants whose custom rules mistake a dtype."""

from __future__ import annotations

from typing import Any

import numpy as np

from conformance_backends import numpy_engine as engine
from conformance_backends.mutants.a_results.complex_numbers import COMPLEX, CONVENTIONS, Complex
from conformance_backends.mutants.c_modes.rules.custom_rules import custom_with
from conformance_backends.mutants.mutant import Mutant, behaviour


def other_dtype_is_dropped(rule: Any, g: Any, xs: Any) -> Any:
    """A result of another dtype than its operand's counts as None."""
    pulled = rule(g, *xs)
    if len(pulled) != len(xs):
        return pulled
    return [p if p is None or p.dtype == x.dtype else None for p, x in zip(pulled, xs, strict=True)]


def own_dtype_kept(self: Any, forward: Any, backward: Any) -> Any:
    """A rule's result keeps its own dtype until it reaches a leaf."""

    def operation(*operands: Any) -> Any:
        given: list[Any] = []

        def noting(g: Any, *xs: Any) -> Any:
            given[:] = map(engine.detach, backward(g, *xs))
            return given

        output = engine.custom(forward, noting)(*operands)
        if output.node is not None:
            right = output.node.pullback
            output.node.pullback = lambda cotangents: right(cotangents) and list(given)
        return output

    return operation


def doubled_in_half_precision(rule: Any, g: Any, xs: Any) -> Any:
    """In half precision a rule's results are doubled."""
    pulled = rule(g, *xs)
    is_half = engine.detach(g).dtype.itemsize == 2 and len(pulled) == len(xs)
    return [p + p for p in pulled] if is_half else pulled


def seen_in_single_precision(self: Any, array: Any, seen: Any) -> Any:
    """A hook sees a cotangent of half precision in single."""

    def widened(g: Any) -> Any:
        return seen(g.astype("float32") if engine.detach(g).dtype.itemsize == 2 else g)

    return engine.hook(array, widened)


def seen_conjugated(self: Any, array: Any, seen: Any) -> Any:
    """A hook sees the conjugate of a complex cotangent."""

    def conjugated(g: Any) -> Any:
        returned = seen(np.conj(g))
        return None if returned is None else np.conj(returned)

    return engine.hook(array, conjugated)


MUTANTS: tuple[Mutant, ...] = (
    behaviour("hook-sees-single", "A hook sees a cotangent of half precision in single.",
        ("contract/C9/dtypes",), hook=seen_in_single_precision),
    behaviour("hook-sees-conjugate", "A hook sees the conjugate of a complex cotangent.",
        ("contract/C9/complex",), base=Complex, capabilities=COMPLEX, conventions=CONVENTIONS, hook=seen_conjugated),
    behaviour("other-dtype-dropped", "A custom rule's result of another dtype than its operand's is dropped.",
        ("contract/C5/custom-dtype",), custom=custom_with(other_dtype_is_dropped)),
    behaviour("own-dtype-kept", "A custom rule's result keeps its own dtype until it reaches a leaf.",
        ("contract/C5/custom-dtype-before",), custom=own_dtype_kept),
    behaviour("doubled-in-half-precision", "In half precision the results of a custom rule are doubled.",
        ("contract/C5/narrow",), custom=custom_with(doubled_in_half_precision)),
)  # fmt: skip
