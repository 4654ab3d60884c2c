"""Sums and means of the entries that are numbers: one that is NaN is left out, and its gradient is 0."""

from __future__ import annotations

from typing import Any

import numpy as np

from conformance.op import Op
from conformance.ops import laws
from conformance.ops.reductions import SPREAD, axes_of, kept, several_entries
from conformance.ops.rows import general
from conformance.ops.traits import ORDER_INVARIANT, PIECEWISE_LINEAR, REDUCTION, Homogeneous, Shift

# -- rules -------------------------------------------------------------------------------------------


def nansum_vjp(g: Any, z: Any, x: Any, axis: Any = None, keepdims: bool = False) -> Any:
    """g at the entries that are numbers, 0 at the others."""
    return np.where(np.isnan(x), 0, kept(g, x, axis))


def nanmean_vjp(g: Any, z: Any, x: Any, axis: Any = None, keepdims: bool = False) -> Any:
    """The same over how many are numbers."""
    is_number = ~np.isnan(x)
    count = np.sum(is_number, axis=axes_of(np.shape(x), axis), keepdims=True).astype(x.dtype)
    return np.where(is_number, kept(g, x, axis) / count, 0)


# -- rows --------------------------------------------------------------------------------------------

ROWS: tuple[Op, ...] = (
    general("nansum", np.nansum, nansum_vjp,
        formula="x̄ᵢ = g, 0 where xᵢ is NaN", source="the sum's rule on the entries that are numbers",
        law=laws.reduction(SPREAD), traits={REDUCTION, ORDER_INVARIANT, PIECEWISE_LINEAR, Homogeneous(1)}),
    general("nanmean", np.nanmean, nanmean_vjp,
        formula="x̄ᵢ = g / n, 0 where xᵢ is NaN, n the entries that are numbers",
        source="the mean's rule on the entries that are numbers", law=several_entries(1),
        traits={REDUCTION, ORDER_INVARIANT, PIECEWISE_LINEAR, Homogeneous(1), Shift(1)}),
)  # fmt: skip
