"""Terms of entropies: products with logarithms, whose value at 0 is the limit."""

from __future__ import annotations

from typing import Any

import numpy as np

from conformance.op import POSITIVE, REAL, Domain, Op
from conformance.ops.dispatch import dispatched
from conformance.ops.rows import elementwise
from conformance.ops.traits import HOLOMORPHIC, INFINITE_SLOPE_AT_0, Homogeneous

# -- references NumPy lacks ------------------------------------------------------------------------


@dispatched
def entr(x: Any) -> Any:
    """−x log x, which is 0 at 0 and minus infinity left of it."""
    return np.where(x == 0, 0, np.where(np.real(x) < 0, -np.inf, -x * np.log(np.where(x == 0, 1, x))))[()]


@dispatched
def rel_entr(x: Any, y: Any) -> Any:
    """x log(x/y), which is 0 at x = 0 for every number y."""
    return np.where((x == 0) & (y == y), 0, x * np.log(np.where(x == 0, 1, x) / np.where(x == 0, 1, y)))[()]


@dispatched
def xlog1py(x: Any, y: Any) -> Any:
    """x log(1 + y), which is 0 at x = 0 for every number y."""
    return np.where((x == 0) & (y == y), 0, x * np.log1p(np.where(x == 0, 0, y)))[()]


# -- rows ------------------------------------------------------------------------------------------

ROWS: tuple[Op, ...] = (
    elementwise("entr", entr, lambda z, x: -np.log(x) - 1,
        formula="x̄ = −g · (ln x + 1)", source="product rule", domains=[POSITIVE],
        traits={INFINITE_SLOPE_AT_0}),
    elementwise("rel_entr", rel_entr, lambda z, x, y: np.log(x / y) + 1, lambda z, x, y: -x / y,
        formula="x̄ = g · (ln(x/y) + 1), ȳ = −g · x / y", source="product rule on x (ln x − ln y)",
        domains=[POSITIVE, POSITIVE], traits={Homogeneous(1, of=(0, 1))}),
    elementwise("xlog1py", xlog1py, lambda z, x, y: np.log1p(y),
        lambda z, x, y: x / np.where((x == 0) & (y == -1), 1, 1 + y),
        formula="x̄ = g · ln(1 + y), ȳ = g · x / (1 + y)", source="product rule", domains=[REAL, Domain(low=-1.0)],
        traits={HOLOMORPHIC, Homogeneous(1)}),
)  # fmt: skip
