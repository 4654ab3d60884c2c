"""Chapter E: gradients, and their derivatives, at operands of every magnitude of a dtype."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from weakref import WeakKeyDictionary

import numpy as np

from conformance.backend import Backend, Capability, as_tuple
from conformance.case import Array, Case
from conformance.checks.comparison import Comparison, hold_all_within
from conformance.checks.e_values.second_order import SecondOrderCase, has_curvature, reverse_over_reverse
from conformance.checks.engine_calls import require_offered
from conformance.checks.observation import Observation, Oracle, hold_gradients, plain
from conformance.checks.registry import DOUBLE, FULL, NotThisCase, op_check
from conformance.dtype import BFLOAT16, HALF, finfo
from conformance.kept import kept
from conformance.op import Op, Trait
from conformance.ops.names import MULTIPLY
from conformance.oracle.allowance import Expected, extended
from conformance.oracle.second_order import expected_hessian_vector_products, is_smooth
from conformance.values import FAR, MAGNITUDES, SUBNORMAL, direction

FOURTH_POWERS = (
    10  # the largest number's root of this order is as far as operands go; its fourth power is a number
)
ROOTS = 8  # taken of what is farthest: exp has a number at its 32nd root, the exponent of a small number is near 1 at its 256th
LANES = 33  # entries: as many as a vector register has, and more
_KEPT: WeakKeyDictionary[Backend, dict[str, bool]] = WeakKeyDictionary()


@op_check(
    *("E14", "magnitudes"),
    textures=MAGNITUDES,
    dtypes=FULL | HALF,
    sparing_in=frozenset({BFLOAT16.name}),
    is_diagnosed=True,
)
def gradient_equals_reference_vjp_at_every_magnitude(seen: Observation) -> list[Comparison]:
    """At operands of every magnitude the gradient is the rule's, wherever the dtype can represent it."""
    if not any(expected.exact.size for expected in seen.expected):
        raise NotThisCase("the operands have no entries")
    if seen.case.dtype in HALF:
        require_offered(seen)
    if seen.case.texture == SUBNORMAL and not keeps_subnormals(seen.backend, seen.case.dtype):
        raise NotThisCase("the engine takes subnormal numbers for zero")
    largest = float(finfo(seen.case.dtype).max)
    values = as_tuple(seen.op.reference(*map(extended, seen.case.operands), **seen.case.parameters))
    if Trait.ELEMENTWISE not in seen.op.traits and any((np.abs(z) > largest).any() for z in values):
        raise NotThisCase(f"the value overflows {seen.case.dtype}")
    if not any(np.isfinite(expected.allowed).any() for expected in seen.expected):
        raise NotThisCase(
            f"the gradient, or an intermediate result of the textbook rule, overflows {seen.case.dtype}"
        )
    compared = hold_gradients(seen)
    if not (_would_show(seen) or Trait.VANISHING in seen.op.traits):
        raise NotThisCase("neither a gradient a quarter larger nor one for a cotangent of ones would show")
    return compared


def keeps_subnormals(engine: Backend, dtype: str) -> bool:
    """Whether the engine's product of a subnormal number and one is that number: some take it for zero, in threads of their own too."""
    kept = _KEPT.setdefault(engine, {})
    if dtype not in kept:
        x = np.full(LANES, 3 * finfo(dtype).smallest_subnormal, dtype)
        (product,) = engine.forward(engine.op(MULTIPLY), [x, np.ones(LANES, dtype)])
        kept[dtype] = bool((plain(engine, product) == x).all())
    return kept[dtype]


def _would_show(seen: Observation) -> bool:
    """Whether a gradient of another size would be seen, and one that is not multiplied by its cotangent."""
    is_seen = any((np.abs(expected.exact) > 4 * expected.allowed).any() for expected in seen.expected)
    return is_seen and any((g != 1).any() for g in seen.case.cotangents)


def _has_curvature_alone(op: Op) -> bool:
    return has_curvature(op) and Trait.ELEMENTWISE in op.traits


@op_check(
    *("E4", "second-magnitudes", Capability.HIGHER_ORDER),
    applies=_has_curvature_alone,
    textures=MAGNITUDES,
    dtypes=DOUBLE,
    calls_anew=True,
)
def second_derivative_is_right_at_every_magnitude(seen: Observation) -> list[Comparison]:
    """Of operands far from 1 the gradient of the gradient is the derivative of the reference VJP, along each operand itself.

    Not so far that the square of a square is no number any more.
    """
    if seen.case.texture not in FAR:
        raise NotThisCase("the operands are not far from 1")
    moved = _within_reach(seen)
    directions, expected = _expected_along_operands(seen.op, moved.case, tuple(seen.wrt), seen.perturbations)
    if expected is None:
        raise NotThisCase("the rule is not analytic here, so its derivative is not known")
    case = SecondOrderCase.of(moved, directions)
    pairs = enumerate(zip(reverse_over_reverse(case), expected, strict=True))
    return hold_all_within(
        ((got, bound, f"the derivative of {seen.label(n)}") for n, (got, bound) in pairs),
        claim="differs from the derivative of the reference VJP",
    )


def _within_reach(seen: Observation) -> Observation:
    """The call with no operand so far from 1 that its fourth power, or the square of a value, is no number."""
    farthest = 2.0 ** (finfo(seen.case.dtype).maxexp // FOURTH_POWERS)
    operands = tuple(
        np.array(np.copysign(np.clip(np.abs(x), 1 / farthest, farthest), x), x.dtype)
        if x.dtype.kind == "f"
        else x
        for x in seen.case.operands
    )
    for _ in range(ROOTS):
        is_far = _has_square_too_large(seen.op, operands, seen.case)
        if not is_far.any():
            break
        operands = tuple(_nearer(x, is_far) if x.dtype.kind == "f" else x for x in operands)
    return Observation(
        seen.backend, Oracle(seen.op, replace(seen.case, operands=operands), seen.perturbations)
    )


def _has_square_too_large(op: Op, operands: Sequence[Array], case: Case) -> Array:
    values = as_tuple(op.reference(*map(extended, operands), **case.parameters))
    largest = float(finfo(case.dtype).max)
    return np.asarray(~(np.abs(values[0]) ** 2 <= largest))


def _nearer(x: Array, is_far: Array) -> Array:
    """The square root of what is larger than 1: of the entries that are meant, or of all where others share their values."""
    is_meant = is_far if is_far.shape == x.shape else np.True_
    nearer = np.copysign(np.sqrt(np.abs(x)), x)
    return np.array(np.where(is_meant & (np.abs(x) > 1), nearer, x), x.dtype)


@kept(Expected)
def _expected_along_operands(
    op: Op, case: Case, wrt: tuple[int, ...], perturbations: int
) -> tuple[list[Array], list[Expected] | None]:
    """Directions of the operands' own magnitudes, and the products; None where the rule is not analytic."""
    rng = np.random.default_rng(len(case.label))
    directions = [
        np.array(case.operands[i] * direction(op.domain(i), case.operands[i].shape, case.dtype, rng))
        for i in wrt
    ]
    if not is_smooth(op, case, wrt, directions):
        return directions, None
    return directions, expected_hessian_vector_products(op, case, wrt, directions, perturbations)
