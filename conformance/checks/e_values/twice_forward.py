"""Chapter E: forward mode differentiated again in forward mode (E4)."""

from __future__ import annotations

import numpy as np

from conformance.case import Array
from conformance.checks.comparison import Comparison, hold_within
from conformance.checks.e_values.invariances import CLEARLY, Term, would_show
from conformance.checks.e_values.second_order import (
    BOTH_MODES,
    ORDERS,
    SecondOrderCase,
    by_order,
    expected_along_directions,
    has_curvature,
    pushed,
)
from conformance.checks.observation import Observation
from conformance.checks.registry import NotThisCase, op_check
from conformance.oracle.allowance import ULPS, Expected

# Times what is allowed: a sum in which more cancels decides nothing, where another direction may.
CLEAR = 2.0**12


@op_check("E4", "forward-over-forward", *BOTH_MODES, applies=has_curvature, sparing=True)
def tangent_of_the_tangent_is_the_second_derivative(seen: Observation) -> list[Comparison]:
    """The tangent of the tangent is the second derivative along the direction: ⟨g, f″[u, u]⟩ = ⟨u, derivative of the VJP⟩."""
    directions, expected = expected_along_directions(seen)
    case = SecondOrderCase.of(seen, directions)
    tangents = by_order(seen, case, forward_over_forward, len(ORDERS))
    pairs = [
        (t.astype(np.longdouble), g)
        for t, g in zip(tangents, seen.case.cotangents, strict=True)
        if t is not None
    ]
    terms = [t * g for t, g in pairs]
    got = sum((term.sum() for term in terms), start=np.longdouble(0))
    exact, allowed = (
        sum((np.sum(v) for v in values), start=np.longdouble(0))
        for values in zip(
            *(
                (u * bound.exact, np.abs(u) * bound.allowed)
                for u, bound in zip(directions, expected, strict=True)
            ),
            strict=True,
        )
    )
    if not abs(exact) > allowed:
        raise NotThisCase("the second derivative along the direction is zero")
    unit = np.finfo(seen.case.operands[seen.wrt[0]].dtype).eps
    size = sum((np.abs(term).sum() for term in terms), start=np.longdouble(0))
    if np.isfinite(size):  # of a wrong answer, which may allow itself nothing
        allowed += ULPS * unit * size
    bound = Expected(np.asarray(exact), np.asarray(allowed), np.asarray(abs(exact) * unit))
    compared = hold_within(np.asarray(got), bound, "the second derivative along a direction", claim="differs")
    clear = CLEAR * allowed
    if abs(exact) < clear or not would_show([Term(t, g, clear / CLEARLY, 1.0) for t, g in pairs]):
        raise NotThisCase("the second derivative along the direction cancels, or hides its largest entry")
    return [compared]


def forward_over_forward(case: SecondOrderCase) -> list[Array | None]:
    """The tangents' tangents, along the same directions."""
    return pushed(case, case.tangents, len(case.cotangents))
