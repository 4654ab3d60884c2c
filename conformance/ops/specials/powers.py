"""Powers whose exponent is a number of the call, for which engines have code of their own."""

from __future__ import annotations

from typing import Any

import numpy as np

from conformance.op import NONZERO, POSITIVE, REAL, Choose, Op, Signature
from conformance.ops import laws
from conformance.ops.dispatch import dispatched
from conformance.ops.rows import elementwise
from conformance.ops.traits import HOLOMORPHIC


@dispatched
def power_of(x: Any, *, exponent: float) -> Any:
    """x to the power of a number."""
    return np.power(x, exponent)


def power_slope(z: Any, x: Any, exponent: float) -> Any:
    """n xⁿ⁻¹, and 0 for x⁰ wherever x is."""
    return exponent * np.power(x, exponent - 1) if exponent else 0


# Exponents that engines compute by multiplying or as roots, and others; where the operand may be.
EXPONENTS = (
    *((2, REAL), (3, REAL), (-1, NONZERO), (0.5, POSITIVE), (1, REAL), (-2, NONZERO), (4, REAL), (2.0, REAL)),
    *(
        (1.5, POSITIVE),
        (-0.5, POSITIVE),
        (0, REAL),
        (7, REAL),
        (2.5, POSITIVE),
        (-3, NONZERO),
        (0.25, POSITIVE),
    ),
)


def raising(choose: Choose) -> Signature:
    """One operand, and the exponent."""
    exponent, domain = choose(EXPONENTS)
    return Signature((choose(laws.SHAPES),), {"exponent": exponent}, domains=(domain,))


ROWS: tuple[Op, ...] = (
    elementwise("power_of", power_of, power_slope,
        formula="x̄ = g · n xⁿ⁻¹", source="the power rule; x⁰ is constant", law=raising, traits={HOLOMORPHIC}),
)  # fmt: skip
