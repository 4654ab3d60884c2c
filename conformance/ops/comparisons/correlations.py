"""How much rows vary together, as a cosine."""

from __future__ import annotations

from typing import Any

import numpy as np

from conformance.op import DISTINCT, Op
from conformance.ops import laws
from conformance.ops.comparisons.distances import direction
from conformance.ops.dispatch import dispatched
from conformance.ops.products import transposed
from conformance.ops.rows import general
from conformance.ops.traits import Shift


def deviations(x: Any) -> tuple[Any, Any]:
    """The rows less their means, over their norms, and the norms."""
    return direction(x - np.mean(x, axis=1, keepdims=True), 1)


@dispatched
def corrcoef(x: Any) -> Any:
    """The correlations of the rows: the cosines of their deviations from their means."""
    units, _ = deviations(x)
    return np.matmul(units, transposed(units))


def corrcoef_vjp(g: Any, z: Any, x: Any) -> Any:
    """ū = (g + gᵀ) u, of which what changes the norms or the means is left out."""
    units, norms = deviations(x)
    pulled = np.matmul(g + transposed(g), units)
    along = np.sum(pulled * units, axis=1, keepdims=True) * units
    across = pulled - along
    return (across - np.mean(across, axis=1, keepdims=True)) / norms


OBSERVED = laws.shapes_of(
    *(((2, 3),), ((3, 3),), ((4, 5),), ((2, 4),), ((5, 7),), ((2, 17),), ((17, 3),), ((2, 65),), ((33, 4),)),
)  # fmt: skip

ROWS: tuple[Op, ...] = (
    general("corrcoef", corrcoef, corrcoef_vjp,
        formula="x̄ = (v − mean v)/|x − mean x|, v = ū − (ū·u) u, ū = (g + gᵀ) u", source="the quotient rule; u the unit deviations",
        domains=[DISTINCT], law=OBSERVED, traits={Shift(0)}),
)  # fmt: skip
