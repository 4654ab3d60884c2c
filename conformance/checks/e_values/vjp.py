"""Chapter E: a gradient equals the reference VJP, as a value equals the reference value."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from conformance.backend import as_tuple
from conformance.case import Array, Case
from conformance.checks.comparison import Comparison, hold_all_within, hold_within
from conformance.checks.e_values.magnitudes import keeps_subnormals
from conformance.checks.members import weighted
from conformance.checks.observation import Observation, hold_gradients, plain
from conformance.checks.registry import NotThisCase, op_check
from conformance.dtype import finfo, is_inexact
from conformance.errors import Violation
from conformance.kept import kept
from conformance.op import Op
from conformance.oracle.allowance import PER_PLACE, Expected, allowance_scope, expect, expected_values
from conformance.values import MAGNITUDES, SUBNORMAL, TEXTURES, operands


@op_check("E1", "vjp", is_diagnosed=True)
def gradient_equals_reference_vjp(seen: Observation) -> list[Comparison]:
    """The VJP equals the rule within the allowed error."""
    return hold_gradients(seen)


def _has_several_outputs(op: Op) -> bool:
    return op.has_several_outputs


@op_check("E1", "outputs-together", applies=_has_several_outputs, once_per_signature=True, sparing=True)
def gradient_of_a_number_made_of_all_outputs(seen: Observation) -> list[Comparison]:
    """Where one number is computed of all outputs, one backward pass sums what each of them sends back."""
    engine, case = seen.backend, seen.case
    weights = [engine.array(np.array(g)) for g in case.cotangents]
    op, one = engine.call(seen.op.name, case.parameters), np.ones((), case.dtype)

    def function(*xs: Any) -> Any:
        return weighted(engine, weights, op(*xs))

    _, gradients = engine.vjp(function, [np.array(x) for x in case.operands], [one], seen.wrt)
    pairs = enumerate(zip(gradients, seen.expected, strict=True))
    return hold_all_within(
        (
            None if got is None else plain(engine, got),
            bound,
            f"{seen.label(n)} of the weighed sum of all outputs",
        )
        for n, (got, bound) in pairs
    )


@op_check("E22", "value")
def value_equals_reference(seen: Observation) -> list[Comparison]:
    """The value equals the reference within the allowed error."""
    references = as_tuple(seen.op.reference(*seen.case.operands, **seen.case.parameters))
    allowed = expected_values(seen.op, seen.case, perturbations=seen.perturbations)
    compared = []
    values = seen.forward()
    if len(values) != len(references):
        raise Violation(f"{len(values)} values, where the reference has {len(references)}")
    for got, expected, reference in zip(values, allowed, references, strict=True):
        compared.append(hold_within(got, expected, "the value", claim="differs from the reference value"))
        if got.dtype != np.asarray(reference).dtype:
            raise Violation(
                f"the value has dtype {got.dtype}, the reference value {np.asarray(reference).dtype}"
            )
    return compared


@op_check("E22", "value-magnitudes", textures=MAGNITUDES)
def value_equals_reference_at_every_magnitude(seen: Observation) -> list[Comparison]:
    """At operands of every magnitude the value is the reference's, wherever the dtype can represent it."""
    if seen.case.texture == SUBNORMAL and not keeps_subnormals(seen.backend, seen.case.dtype):
        raise NotThisCase("the engine takes subnormal numbers for zero")
    allowed = expected_values_anywhere(seen.op, seen.case, seen.perturbations)
    largest = float(finfo(seen.case.dtype).max)
    if allowance_scope(seen.op) != PER_PLACE and any((np.abs(z.exact) > largest).any() for z in allowed):
        raise NotThisCase(f"an entry overflows {seen.case.dtype}, and others may be computed from it")
    if not any((np.abs(expected.exact) > expected.allowed).any() for expected in allowed):
        raise NotThisCase(
            f"the value, or an intermediate result of the reference, overflows {seen.case.dtype}"
        )
    pairs = zip(seen.forward(), allowed, strict=True)
    return hold_all_within(
        ((got, expected, "the value") for got, expected in pairs), claim="differs from the reference value"
    )


@kept(Expected)
def expected_values_anywhere(op: Op, case: Case, perturbations: int) -> list[Expected]:
    """The expected outputs; a unit of the usual size of a value at ordinary operands is always allowed, or of a smaller operand.

    log1p and expm1 exist for what is near zero: there a unit of the usual value would be all of it.
    """

    def evaluate(given: Sequence[Array]) -> Sequence[Array]:
        return as_tuple(op.reference(*given, **case.parameters))

    usual, own = _largest(evaluate(_ordinary(op, case))), _largest(evaluate(case.operands))
    scope = allowance_scope(op)
    # As of gradients: steep ordinary operands must not widen it, and where entries share their errors all are of one size.
    sizes: list[float | Array] = [
        min(u if scope == PER_PLACE else max(u, o), max(1.0, o)) for u, o in zip(usual, own, strict=True)
    ]
    if scope == PER_PLACE:
        sizes = [np.minimum(size, _largest_at_its_place(case.operands)) for size in sizes]
    return expect(evaluate, case.operands, case.dtype, sizes, scope=scope, perturbations=perturbations)


def _largest_at_its_place(given: Sequence[Array]) -> Array:
    """The largest real operand from which each entry is computed."""
    sizes = [np.abs(x).astype(float) if is_inexact(x.dtype) else np.zeros(x.shape) for x in given]
    return np.asarray(np.max(np.broadcast_arrays(*sizes), axis=0))


def _ordinary(op: Op, case: Case) -> list[Array]:
    """Operands of the same shapes near 1; those without a gradient as they are."""
    domains = [op.domain(i) for i in range(len(case.operands))]
    shapes = [x.shape for x in case.operands]
    drawn = operands(domains, shapes, case.dtype, TEXTURES[0], np.random.default_rng(0))
    pairs = zip(drawn, case.operands, strict=True)
    return [x if op.is_differentiable(i) else own for i, (x, own) in enumerate(pairs)]


def _largest(values: Sequence[Array]) -> list[float]:
    return [float(np.abs(z[np.isfinite(z)]).max(initial=0.0)) for z in map(np.asarray, values)]
