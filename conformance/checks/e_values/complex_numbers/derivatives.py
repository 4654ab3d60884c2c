"""Chapter E: forward mode and second derivatives at complex operands."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from conformance.backend import Capability, restricted
from conformance.case import Array
from conformance.checks.comparison import Comparison, hold_all_within, hold_within
from conformance.checks.e_values.complex_numbers.operands import WIDE, is_holomorphic, offered
from conformance.checks.e_values.forward_mode import compared_places, inner, pushed_by_rule
from conformance.checks.e_values.second_order import has_curvature
from conformance.checks.engine_calls import require_offered, tangents_of, unless_refused
from conformance.checks.observation import Observation, plain
from conformance.checks.registry import NotThisCase, declared_convention, flat_check, op_check
from conformance.errors import Unsupported, Violation
from conformance.op import Op
from conformance.ops.names import ABS, ANGLE, CONJ, IMAG, REAL, SIGN, SLOGDET, STD, VAR, VECDOT, VECTOR_NORM
from conformance.oracle.allowance import (
    Expected,
    extended,
    reference_vjp,
)
from conformance.oracle.derivative import tangent
from conformance.values import direction

# Not holomorphic, and of complex operands the same function everywhere.
OF_PARTS = frozenset({ABS, CONJ, IMAG, REAL, SLOGDET, STD, VAR, VECDOT, VECTOR_NORM})
TURNING = frozenset({ANGLE, SIGN})  # the same, and flat at real operands
STEP = 2.0**-17  # of the differences by which second derivatives are found, in extended precision
ROUGHLY = 1e-9  # what they, and the roundings of an engine, are off, relatively to the largest entry, or to the terms where all cancel


def _has_tangents(op: Op) -> bool:
    return is_holomorphic(op) or op.name in OF_PARTS


def _turns(op: Op) -> bool:
    return op.name in TURNING


# Conjugates are what goes wrong there, so one precision is enough; digits are compared at real operands.
@op_check("E2", "complex-forward", Capability.FORWARD, applies=_has_tangents, dtypes=WIDE, compiles=True)
def tangent_at_complex_operands_is_that_of_the_rule(seen: Observation) -> list[Comparison]:
    """At complex operands the tangent is the derivative along it: of a holomorphic op the rule times the tangent, without a conjugate.

    A few entries are compared with the rule's, all of them by ⟨w, Jv⟩ = ⟨Jᵀw, v⟩. Of an op that is not holomorphic the
    derivative is linear over the reals alone, and all entries are compared with that of the reference.
    """
    if not any(g.size for g in seen.case.cotangents):
        raise NotThisCase("there is no output")
    if not is_holomorphic(seen.op):
        return [_hold_tangent_of_reference(seen)]
    require_offered(seen)
    rng = np.random.default_rng(len(seen.case.label))
    operands = [extended(x) for x in seen.case.operands]
    tangents = _directions(seen, rng)
    places = compared_places(seen.oracle, rng)
    cotangents = [np.where(g == 0, 1, g) for g in seen.case.cotangents]  # beside 0 a tangent would not count
    with np.errstate(all="ignore"):
        expected = pushed_by_rule(seen.oracle, operands, [extended(t) for t in tangents], places)
        weights = [extended(g) for g in cotangents]
        pulled = reference_vjp(seen.op, seen.case, seen.wrt)([*operands, *weights])
        whole = inner(pulled, tangents)
        size = float(inner([*map(np.abs, pulled)], [*map(np.abs, tangents)]))
    pushed = offered(lambda: tangents_of(seen, tangents))
    got = np.concatenate([np.ravel(t) for t in pushed])[places]
    what = f"the tangent at the entries {places} of the flattened outputs"
    compared = hold_within(
        got, _roughly([expected], _largest(tangents))[0], what, claim="differs from the reference JVP"
    )
    terms = float(inner([*map(np.abs, pushed)], [*map(np.abs, cotangents)]))
    if np.isfinite(size):
        # Where Jᵀw is zero, as for the same cotangent along a softmax's axis, the terms of ⟨w, Jv⟩ cancel alone.
        allowed = np.asarray(ROUGHLY * max(size, 1.0, terms if np.isfinite(terms) else 0.0))
        product = np.asarray(inner(pushed, cotangents))
        hold_within(product, Expected(whole, allowed, allowed), "⟨w, Jv⟩", claim="is not ⟨Jᵀw, v⟩")
    return [compared]


@flat_check("E2", "flat-complex", Capability.FORWARD, applies=_turns, compiles=True, dtypes=WIDE)
def tangent_at_complex_operands_of_an_op_that_is_flat_at_real_ones(seen: Observation) -> list[Comparison]:
    """At complex operands the tangent of an op that is flat at real ones, such as an angle, is the derivative of the reference."""
    return [_hold_tangent_of_reference(seen)]


def _hold_tangent_of_reference(seen: Observation) -> Comparison:
    """Claim that the tangent is the reference's derivative along it; NotThisCase at a kink."""
    if unless_refused(seen.forward, seen.backend) is None:
        raise Unsupported("the engine does not compute it of complex numbers")
    tangents = _directions(seen, np.random.default_rng(len(seen.case.label)))
    sizes = [t.size for t in tangents]

    def outputs(joined: Array) -> Array:
        xs = [extended(x) for x in seen.case.operands]
        for i, part in zip(seen.wrt, np.split(joined, np.cumsum(sizes)[:-1]), strict=True):
            xs[i] = part.reshape(xs[i].shape)
        return _flattened(seen.op.reference(*xs, **seen.case.parameters))

    with np.errstate(all="ignore"):
        at, along = (
            _flattened([extended(x) for x in xs])
            for xs in (map(seen.case.operands.__getitem__, seen.wrt), tangents)
        )
        slope = tangent(outputs, at, along)
    (expected,) = _roughly([slope.value], _largest(tangents))
    if not (slope.error <= expected.allowed).all():
        raise NotThisCase("there is a kink")
    got = _flattened(offered(lambda: tangents_of(seen, tangents)))
    return hold_within(
        got, expected, "the tangent, flattened,", claim="is not the derivative of the reference"
    )


def _flattened(arrays: Any) -> Array:
    """All entries of one array or several."""
    return np.concatenate([np.ravel(x) for x in (arrays if isinstance(arrays, (tuple, list)) else (arrays,))])


def _directions(seen: Observation, rng: np.random.Generator) -> list[Array]:
    """A tangent of every operand that has one."""
    shapes = {i: seen.case.operands[i].shape for i in seen.wrt}
    return [direction(seen.op.domain(i), shape, seen.case.dtype, rng) for i, shape in shapes.items()]


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


def _is_curved(op: Op) -> bool:
    return is_holomorphic(op) and has_curvature(op)


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
    pulled, bounds = offered(lambda: _pulled(seen, position, weights)), _roughly(expected, scale)
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
