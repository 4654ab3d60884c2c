"""Powers whose exponent is a number of the call, for which engines have code of their own, and products with powers of two."""

from __future__ import annotations

from typing import Any

import numpy as np

from conformance.op import NONZERO, POSITIVE, REAL, Choose, Domain, Op, OperandKind, Signature
from conformance.ops import laws
from conformance.ops.dispatch import dispatched
from conformance.ops.rows import elementwise
from conformance.ops.traits import HOLOMORPHIC, LINEAR, PIECEWISE_LINEAR


@dispatched
def power_of(x: Any, *, exponent: float) -> Any:
    """x to the power of a number."""
    return np.power(x, exponent)


def power_slope(z: Any, x: Any, exponent: float) -> Any:
    """n xⁿ⁻¹, and 0 for x⁰ wherever x is."""
    return exponent * np.power(x, exponent - 1) if exponent else 0


@dispatched
def ldexp(x: Any, n: Any) -> Any:
    """x · 2ⁿ; NumPy's own takes no complex numbers."""
    return x * np.exp2(n.astype(np.real(x).dtype))


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


SHIFTS = Domain(low=-8, high=9, kind=OperandKind.INDEX)

ROWS: tuple[Op, ...] = (
    elementwise("power_of", power_of, power_slope,
        formula="x̄ = g · n xⁿ⁻¹", source="the power rule; x⁰ is constant", law=raising, traits={HOLOMORPHIC}),
    elementwise("ldexp", ldexp, lambda z, x, n: ldexp(np.ones_like(x), n), lambda z, x, n: None,
        formula="x̄ = g · 2ⁿ", source="linear in x", domains=[REAL, SHIFTS], traits={HOLOMORPHIC, LINEAR, PIECEWISE_LINEAR}),
)  # fmt: skip
