"""What rounding leaves of a number: its fractional part."""

from __future__ import annotations

from typing import Any

import numpy as np

from conformance.op import Op
from conformance.ops.dispatch import dispatched
from conformance.ops.flat import BETWEEN_INTEGERS
from conformance.ops.rows import elementwise
from conformance.ops.traits import PIECEWISE_LINEAR


@dispatched
def frac(x: Any) -> Any:
    """x without its whole part, with the sign of x."""
    return np.modf(x)[0]


ROWS: tuple[Op, ...] = (
    elementwise("frac", frac, lambda z, x: 1,
        formula="x̄ = g", source="x − trunc x, the whole part being locally constant",
        domains=[BETWEEN_INTEGERS], traits={PIECEWISE_LINEAR}),
)  # fmt: skip
