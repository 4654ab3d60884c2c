"""Chapter E: values and gradients at complex operands, in forward mode and of second order too."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import product
from typing import Any, TypeVar

import numpy as np

from conformance.backend import Capability, restricted
from conformance.case import Array
from conformance.checks.comparison import Comparison, hold_all_within, hold_within
from conformance.checks.e_values.forward_mode import compared_places, inner, pushed_by_rule
from conformance.checks.e_values.second_order import has_curvature
from conformance.checks.engine_calls import is_refusal, require_offered, tangents_of, unless_refused
from conformance.checks.observation import Observation, hold_gradients, plain
from conformance.checks.registry import COMPLEX, NotThisCase, declared_convention, op_check
from conformance.errors import Unsupported, Violation, text_of
from conformance.op import Op, Trait
from conformance.ops.names import CONJ
from conformance.oracle.allowance import (
    Expected,
    expected_gradients,
    expected_values,
    extended,
    reference_vjp,
)
from conformance.values import direction

T = TypeVar("T")
WIDE = frozenset({"complex128"})
# What a complex product's rounding is over a real one's (Brent, Percival & Zimmermann 2007, theorem 2).
PRODUCT = 5**0.5
STEP = 2.0**-17  # of the differences by which second derivatives are found, in extended precision
ROUGHLY = 1e-9  # what they, and the roundings of an engine, are off, relatively to the largest entry, or to the terms where all cancel


def _is_holomorphic(op: Op) -> bool:
    return Trait.HOLOMORPHIC in op.traits


# A few signatures: shapes are checked with real operands, and engines compile each signature again.
@op_check("E23", "complex", applies=_is_holomorphic, dtypes=COMPLEX, sparing_in=COMPLEX)
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


@op_check("E22", "complex-value", applies=_is_holomorphic, dtypes=COMPLEX, sparing_in=COMPLEX)
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


@op_check("E23", "conjugated", applies=_is_holomorphic, dtypes=WIDE, compiles=True)
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
    _, gradients = _offered(lambda: seen.backend.vjp(function, operands, cotangents, seen.wrt))
    pulled = [None if g is None else np.conj(plain(seen.backend, g)) for g in gradients]
    bounds = _expected(seen, convention)
    return hold_all_within(
        (got, bound, f"{seen.label(position)} of conj(f(conj x)), conjugated,")
        for position, (got, bound) in enumerate(zip(pulled, bounds, strict=True))
    )


# ---- in forward mode, and of second order ---------------------------------------------------------------
# Conjugates are what goes wrong there, so one precision is enough; digits are compared at real operands.


@op_check("E2", "complex-forward", Capability.FORWARD, applies=_is_holomorphic, dtypes=WIDE, compiles=True)
def tangent_at_complex_operands_is_that_of_the_rule(seen: Observation) -> list[Comparison]:
    """At complex operands the tangent of a holomorphic op is the derivative times the tangent, without a conjugate.

    A few entries are compared with the rule's, all of them by ⟨w, Jv⟩ = ⟨Jᵀw, v⟩.
    """
    require_offered(seen)
    if not any(g.size for g in seen.case.cotangents):
        raise NotThisCase("there is no output")
    rng = np.random.default_rng(len(seen.case.label))
    operands = [extended(x) for x in seen.case.operands]
    tangents = [
        direction(seen.op.domain(i), seen.case.operands[i].shape, seen.case.dtype, rng) for i in seen.wrt
    ]
    places = compared_places(seen.oracle, rng)
    cotangents = [np.where(g == 0, 1, g) for g in seen.case.cotangents]  # beside 0 a tangent would not count
    with np.errstate(all="ignore"):
        expected = pushed_by_rule(seen.oracle, operands, [extended(t) for t in tangents], places)
        weights = [extended(g) for g in cotangents]
        pulled = reference_vjp(seen.op, seen.case, seen.wrt)([*operands, *weights])
        whole = inner(pulled, tangents)
        size = float(inner([*map(np.abs, pulled)], [*map(np.abs, tangents)]))
    pushed = _offered(lambda: tangents_of(seen, tangents))
    got = np.concatenate([np.ravel(t) for t in pushed])[places]
    what = f"the tangent at the entries {places} of the flattened outputs"
    compared = hold_within(
        got, _roughly([expected], _largest(tangents))[0], what, claim="differs from the reference JVP"
    )
    if np.isfinite(size):
        allowed = np.asarray(ROUGHLY * max(size, 1.0))
        product = np.asarray(inner(pushed, cotangents))
        hold_within(product, Expected(whole, allowed, allowed), "⟨w, Jv⟩", claim="is not ⟨Jᵀw, v⟩")
    return [compared]


def _largest(arrays: Sequence[Array]) -> float:
    return max(float(np.abs(x).max(initial=0)) for x in arrays)


def _roughly(expected: Sequence[Array], scale: float) -> list[Expected]:
    """What is allowed relatively to the largest entry, or to what a derivative of 1 makes of arrays of this `scale`: terms may cancel.

    NotThisCase where an entry is no finite number.
    """
    size = _largest(expected)
    if not np.isfinite(size):
        raise NotThisCase("the derivative is not finite")
    allowed = [np.full(x.shape, ROUGHLY * max(size, scale, 1.0)) for x in expected]
    return [Expected(x, by, by) for x, by in zip(expected, allowed, strict=True)]


def _offered(call: Callable[[], T]) -> T:
    """What a call returns; Unsupported where the engine refuses it: few have all derivatives of complex numbers."""
    try:
        return call()
    except Exception as error:
        if not is_refusal(error):
            raise
        raise Unsupported(f"the engine refuses it at complex operands: {text_of(error)}") from None


def _is_curved(op: Op) -> bool:
    return _is_holomorphic(op) and has_curvature(op)


@op_check(
    "E4",
    "complex-second",
    Capability.HIGHER_ORDER,
    applies=_is_curved,
    dtypes=WIDE,
    sparing=True,
)
def gradient_of_the_gradient_at_complex_operands(seen: Observation) -> list[Comparison]:
    """At complex operands the gradient of a gradient is the derivative of the rule, or what the conjugate of A18 makes of it."""
    convention = declared_convention(seen.backend, "A18")
    require_offered(seen)
    rng = np.random.default_rng(len(seen.case.label))
    position = int(rng.integers(len(seen.wrt)))
    index = seen.wrt[position]
    weights = direction(seen.op.domain(index), seen.case.operands[index].shape, seen.case.dtype, rng)
    expected = _derivatives(seen, index, weights, is_conjugated=convention != "conjugate")
    scale = _largest([weights]) * _largest(seen.case.cotangents)
    if _largest(expected) <= ROUGHLY * scale:
        raise NotThisCase("the second derivative is zero")
    pulled, bounds = _offered(lambda: _pulled(seen, position, weights)), _roughly(expected, scale)
    return hold_all_within(
        (
            (got, bound, f"the derivative by operand {other} of the gradient of operand {index}")
            for other, got, bound in zip(seen.wrt, pulled, bounds, strict=True)
        ),
        claim="differs from the derivative of the reference VJP",
    )


def _pulled(seen: Observation, position: int, weights: Array) -> list[Array | None]:
    """The engine's gradients of one of its gradients, with these cotangents."""
    engine = seen.backend
    constants = [engine.array(np.array(x)) for x in seen.case.operands]
    function = restricted(engine.call(seen.op.name, seen.case.parameters), constants, seen.wrt)
    upstream = [engine.array(np.array(g)) for g in seen.case.cotangents]

    def gradient(*xs: Any) -> Any:
        pulled = engine.nested_vjp(function, xs, upstream)[position]
        if pulled is None:
            raise Violation("the gradient of a gradient is None")
        return pulled

    operands = [np.array(seen.case.operands[i]) for i in seen.wrt]
    _, gradients = engine.vjp(gradient, operands, [np.array(weights)])
    return [None if g is None else plain(engine, g) for g in gradients]


def _derivatives(seen: Observation, index: int, weights: Array, *, is_conjugated: bool) -> list[Array]:
    """The derivatives of the rule's gradients as operand `index` changes along the weights: f'' is symmetric.

    By central differences of two steps, from which the error of second order is taken (Richardson 1911).
    """
    rule = reference_vjp(seen.op, seen.case, seen.wrt)
    operands = [extended(x) for x in seen.case.operands]
    upstream = [extended(np.conj(g) if is_conjugated else g) for g in seen.case.cotangents]
    along = extended(weights)

    def difference(step: float) -> list[Array]:
        sides: list[Sequence[Array]] = []
        for signed in (step, -step):
            moved = list(operands)
            moved[index] = operands[index] + along * along.dtype.type(signed)
            with np.errstate(all="ignore"):
                sides.append(rule([*moved, *upstream]))
        return [np.asarray((a - b) / (2 * step)) for a, b in zip(*sides, strict=True)]

    pairs = zip(difference(STEP), difference(STEP / 2), strict=True)
    derivatives = [(4 * fine - coarse) / 3 for coarse, fine in pairs]
    return [np.conj(d) for d in derivatives] if is_conjugated else derivatives
