"""How exact the oracle itself is.

The exact gradients are computed in extended precision, which rounds too: a difference from an engine that is
smaller than this uncertainty decides nothing.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from conformance.case import Array, Case
from conformance.dtype import finfo
from conformance.op import Op
from conformance.oracle.allowance import (
    EXTENDED,
    PER_ARRAY,
    PERTURBATIONS,
    SAFETY_FACTOR,
    allowance_scope,
    differentiable,
    extended,
    reference_vjp,
)
from conformance.oracle.draws import Draws
from conformance.oracle.rounding import rounding_by, rounding_on

LEAST_DOUBT = 64.0  # allowances


def beyond_doubt(dtype: str) -> float:
    """How many allowances no number of perturbations makes up for.

    Of few, all may leave an entry where it is; then what they missed is as much as the operands' rounding is magnified.
    """
    return max(LEAST_DOUBT, 0.125 / float(finfo(dtype).eps))


def is_more_than_rounding(slopes: Sequence[Array], rounded: Sequence[Array]) -> bool:
    """Whether slopes are finite and not all 0, and those computed in another precision are nearly the same.

    Where a slope is 0, rounding may leave noise: a row's correlation with itself is 1 whatever the row is, and the terms
    of its slope cancel but for their last digits.
    """
    largest = max((float(np.abs(s).max(initial=0)) for s in slopes), default=0.0)
    if not largest or not all(np.isfinite(s).all() for s in slopes):
        return False
    return (
        max(float(np.abs(r - s).max(initial=0)) for r, s in zip(rounded, slopes, strict=True)) < largest / 2
    )


def oracle_uncertainty(op: Op, case: Case) -> list[Array]:
    """How far the exact gradients may be off, entry by entry: the rounding of the rule's steps in extended precision.

    Operands and cotangents are not perturbed, since in extended precision they are exact.
    """
    wrt = differentiable(op, case)
    evaluate = reference_vjp(op, case, wrt)
    inputs = [extended(x) for x in (*case.operands, *case.cotangents)]
    with np.errstate(all="ignore"), rounding_by(Draws(), "longdouble"):
        exact = [np.asarray(x) for x in evaluate(inputs)]
        trials = [evaluate([rounding_on(x) for x in inputs]) for _ in range(PERTURBATIONS)]
        largest = float(finfo(case.dtype).max)
        return [
            _uncertainty(value, [np.asarray(t[i]) for t in trials], op, largest)
            for i, value in enumerate(exact)
        ]


def _uncertainty(exact: Array, trials: Sequence[Array], op: Op, largest: float) -> Array:
    distances = np.abs([trial - exact for trial in trials])
    # A perturbed zero becomes the smallest number there is, and dividing by it overflows: that is no error of the
    # oracle. Entries beyond the type's largest number do not count: they would widen those that an engine can represent.
    counts = np.isfinite(distances) & (np.abs(exact) <= largest)
    spread = np.where(counts, distances, 0).max(axis=0)
    if allowance_scope(op) == PER_ARRAY and spread.size:
        spread = np.full(spread.shape, spread.max(), EXTENDED)
    return np.asarray(SAFETY_FACTOR * spread)
