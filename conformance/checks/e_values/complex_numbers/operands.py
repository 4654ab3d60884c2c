"""Chapter E: values and gradients at complex operands."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from itertools import product
from typing import Any, TypeVar

import numpy as np

from conformance.checks.comparison import Comparison, hold_all_within, hold_within
from conformance.checks.engine_calls import is_refusal, require_offered, unless_refused
from conformance.checks.observation import Observation, hold_gradients, plain
from conformance.checks.registry import COMPLEX, declared_convention, op_check
from conformance.errors import Unsupported, Violation, text_of
from conformance.op import Op, Trait
from conformance.ops.names import CONJ
from conformance.oracle.allowance import (
    Expected,
    expected_gradients,
    expected_values,
)

T = TypeVar("T")
WIDE = frozenset({"complex128"})
# What a complex product's rounding is over a real one's (Brent, Percival & Zimmermann 2007, theorem 2).
PRODUCT = 5**0.5


def is_holomorphic(op: Op) -> bool:
    """Whether its formulas hold at complex operands."""
    return Trait.HOLOMORPHIC in op.traits


# A few signatures: shapes are checked with real operands, and engines compile each signature again.
@op_check("E23", "complex", applies=is_holomorphic, dtypes=COMPLEX, sparing_in=COMPLEX)
def gradient_at_complex_operands_equals_reference_vjp(seen: Observation) -> list[Comparison]:
    """At complex operands the gradient of a holomorphic op is the rule's, or its conjugate as declared for A18."""
    convention = declared_convention(seen.backend, "A18")
    require_offered(seen)
    compared = hold_gradients(seen, _expected(seen, convention))
    for position, got in enumerate(seen.answer.gradients):
        if got is not None and got.dtype != seen.case.operands[seen.wrt[position]].dtype:
            raise Violation(f"{seen.label(position)} has dtype {got.dtype}, its operand {seen.case.dtype}")
    return compared


def _expected(seen: Observation, convention: str) -> list[Expected]:
    """The expected gradients under a convention.

    The rule is the transpose of a complex-linear map, g ↦ g · f′: this is what an engine that declares "conjugate"
    returns. The gradient itself is conj(f′) · g, the conjugate of the rule's result for conj g.
    """
    if convention == "conjugate":
        return seen.expected
    conjugated = replace(seen.case, cotangents=tuple(map(np.conj, seen.case.cotangents)))
    found = expected_gradients(seen.op, conjugated, perturbations=seen.perturbations)
    return [replace(expected, exact=np.conj(expected.exact)) for expected in found]


@op_check("E22", "complex-value", applies=is_holomorphic, dtypes=COMPLEX, sparing_in=COMPLEX)
def value_at_complex_operands_equals_reference(seen: Observation) -> list[Comparison]:
    """At complex operands the value is the reference's; on either axis it is that of the side which the sign of the zero names."""
    values = unless_refused(seen.forward, seen.backend)
    if values is None:
        raise Unsupported("the engine does not compute it of complex numbers")
    allowed = expected_values(seen.op, seen.case, perturbations=seen.perturbations)
    said = "differs from the reference value"
    compared = [
        hold_within(got, replace(exact, allowed=PRODUCT * exact.allowed), "the value", claim=said)
        for got, exact in zip(values, allowed, strict=True)
    ]
    if Trait.ELEMENTWISE in seen.op.traits and len(seen.case.operands) == 1:
        for parts in product((1.0, -1.0, 0.0, -0.0), repeat=2):
            if 0 in parts:
                _hold_on_axis(seen, *parts)
    return compared


def _hold_on_axis(seen: Observation, real: float, imaginary: float) -> None:
    """Claim the value where one part is a zero of a sign, and the other twice the size of the operand's, so that it is beyond cuts."""
    (x,) = seen.case.operands
    there = np.empty_like(x)
    there.real, there.imag = real * 2 * np.abs(x.real), imaginary * 2 * np.abs(x.imag)
    exact = np.asarray(seen.op.reference(there, **seen.case.parameters))
    (output,) = seen.backend.forward(seen.backend.call(seen.op.name, seen.case.parameters), [there])
    is_number = np.isfinite(exact)
    off = np.where(is_number, np.maximum(1, np.abs(exact)), 1) * np.sqrt(np.finfo(x.dtype).eps)
    got, zeros = plain(seen.backend, output), np.zeros(())
    if got.shape == exact.shape:
        got, exact = np.where(is_number, got, zeros), np.where(is_number, exact, zeros)
    what = f"the value on the side of {real:+g}{imaginary:+g}i of an axis"
    hold_within(got, Expected(exact, off, off), what, claim="differs from the reference value")


@op_check("E23", "conjugated", applies=is_holomorphic, dtypes=WIDE, compiles=True)
def conjugates_around_an_op_conjugate_its_gradient(seen: Observation) -> list[Comparison]:
    """The gradient of conj(f(conj x)), for the conjugate of a cotangent, is the conjugate of f's gradient.

    An engine may conjugate lazily: it marks an array as conjugated, and whatever reads it, forwards or backwards, has to heed that.
    """
    convention = declared_convention(seen.backend, "A18")
    if CONJ not in seen.backend.ops:
        raise Unsupported("the adapter names no conj")
    require_offered(seen)
    conj, call = seen.backend.call(CONJ, {}), seen.backend.call(seen.op.name, seen.case.parameters)

    def function(*xs: Any) -> Any:
        outputs = call(*(conj(x) if i in seen.wrt else x for i, x in enumerate(xs)))
        return tuple(map(conj, outputs)) if seen.op.has_several_outputs else conj(outputs)

    operands = [np.conj(x) if i in seen.wrt else np.array(x) for i, x in enumerate(seen.case.operands)]
    cotangents = [np.conj(g) for g in seen.case.cotangents]
    _, gradients = offered(lambda: seen.backend.vjp(function, operands, cotangents, seen.wrt))
    pulled = [None if g is None else np.conj(plain(seen.backend, g)) for g in gradients]
    bounds = _expected(seen, convention)
    return hold_all_within(
        (got, bound, f"{seen.label(position)} of conj(f(conj x)), conjugated,")
        for position, (got, bound) in enumerate(zip(pulled, bounds, strict=True))
    )


def offered(call: Callable[[], T]) -> T:
    """What a call returns; Unsupported where the engine refuses it: few have all derivatives of complex numbers."""
    try:
        return call()
    except Exception as error:
        if not is_refusal(error):
            raise
        raise Unsupported(f"the engine refuses it at complex operands: {text_of(error)}") from None
