"""What rounding leaves of a number: its fractional part, and both parts."""

from __future__ import annotations

from typing import Any

import numpy as np

from conformance.op import Op
from conformance.ops import laws
from conformance.ops.dispatch import dispatched
from conformance.ops.flat import BETWEEN_INTEGERS
from conformance.ops.rows import elementwise, general
from conformance.ops.traits import PIECEWISE_LINEAR, SEVERAL_OUTPUTS


@dispatched
def frac(x: Any) -> Any:
    """x without its whole part, with the sign of x."""
    return np.modf(x)[0]


@dispatched
def modf(x: Any) -> tuple[Any, Any]:
    """The fractional part and the whole part, both with the sign of x."""
    return np.modf(x)


ROWS: tuple[Op, ...] = (
    elementwise("frac", frac, lambda z, x: 1,
        formula="x̄ = g", source="x − trunc x, the whole part being locally constant",
        domains=[BETWEEN_INTEGERS], traits={PIECEWISE_LINEAR}),
    general("modf", modf, lambda g, z, x: g[0],
        formula="x̄ = g of the fractional part", source="the whole part is locally constant",
        domains=[BETWEEN_INTEGERS], law=laws.one_array, traits={SEVERAL_OUTPUTS, PIECEWISE_LINEAR}),
)  # fmt: skip
