"""Sizes and angles of complex numbers that are given by their parts, and the parts of numbers given by those."""

from __future__ import annotations

from typing import Any

import numpy as np

from conformance.op import NONZERO, POSITIVE, REAL, Op
from conformance.ops import laws
from conformance.ops.dispatch import dispatched
from conformance.ops.elementwise import nonzero, over_its_square
from conformance.ops.rows import elementwise, general
from conformance.ops.traits import COMMUTATIVE, HOLOMORPHIC, REAL_REFERENCE, SEVERAL_OUTPUTS, Homogeneous

EQUAL = laws.shapes_of(*((shape, shape) for shape in laws.SHAPES))


@dispatched
def complex_abs(re: Any, im: Any) -> Any:
    """The size of the number with these parts."""
    return np.hypot(re, im)


@dispatched
def complex_angle(re: Any, im: Any) -> Any:
    """The angle of the number with these parts, between −π and π."""
    return np.arctan2(im, re)


@dispatched
def polar(size: Any, angle: Any) -> tuple[Any, Any]:
    """The parts of the number with this size and this angle."""
    return size * np.cos(angle), size * np.sin(angle)


ROWS: tuple[Op, ...] = (
    elementwise("complex_abs", complex_abs, lambda z, x, y: x / nonzero(z), lambda z, x, y: y / nonzero(z),
        formula="x̄ = g · x / z, ȳ = g · y / z", source="hypot's rule on both parts",
        domains=[NONZERO, NONZERO], traits={COMMUTATIVE, REAL_REFERENCE, Homogeneous(1, of=(0, 1))}),
    elementwise("complex_angle", complex_angle, lambda z, x, y: -over_its_square(y, x), lambda z, x, y: over_its_square(x, y),
        formula="x̄ = −g · y / (x² + y²), ȳ = g · x / (x² + y²)", source="atan2's rule on both parts",
        domains=[NONZERO, NONZERO], traits={REAL_REFERENCE}),
    general("polar", polar, lambda g, z, r, t: g[0] * np.cos(t) + g[1] * np.sin(t),
        lambda g, z, r, t: g[1] * z[0] - g[0] * z[1],
        formula="r̄ = g · cos t + h · sin t, t̄ = h · x − g · y", source="product rule on r cos t and r sin t",
        domains=[POSITIVE, REAL], law=EQUAL, traits={SEVERAL_OUTPUTS, HOLOMORPHIC, Homogeneous(1)}),
)  # fmt: skip
