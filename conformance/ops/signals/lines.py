"""Values of polynomials, and areas up to each place of a curve."""

from __future__ import annotations

from typing import Any

import numpy as np

from conformance.op import Op
from conformance.ops import laws
from conformance.ops.dispatch import dispatched
from conformance.ops.indexing import getitem
from conformance.ops.rows import general, linear, unbroadcast
from conformance.ops.scans import running_sum_backwards
from conformance.ops.signals.curves import LAST, along_last, areas, with_zero, without_first, without_last
from conformance.ops.traits import HOLOMORPHIC, QUADRATIC, Homogeneous

# -- polynomials -------------------------------------------------------------------------------------


@dispatched
def polyval(coefficients: Any, x: Any) -> Any:
    """The polynomial of these coefficients, the highest power's first, by Horner's rule."""
    value = coefficients[0] + 0 * x
    for k in range(1, np.shape(coefficients)[0]):
        value = value * x + coefficients[k]
    return value


def polyval_coefficients(g: Any, z: Any, coefficients: Any, x: Any) -> Any:
    """Σ g xᵏ."""
    power, sums = g, []
    for _ in range(np.shape(coefficients)[0]):
        sums.append(np.sum(power))
        power = power * x
    return np.stack(sums[::-1])


def polyval_places(g: Any, z: Any, coefficients: Any, x: Any) -> Any:
    """The polynomial of the slope, by the same rule."""
    count = np.shape(coefficients)[0]
    value = 0 * x
    for k in range(count - 1):
        value = value * x + getitem(coefficients, index=(k,)) * (count - 1 - k)
    return g * value


def falling(n: int, m: int) -> Any:
    """What m differentiations multiply the coefficients by, those that stay: k (k − 1) … of the power k."""
    powers = np.arange(n - 1, m - 1, -1)
    return np.prod([powers - i for i in range(m)], axis=0, dtype=float) * np.ones(n - m)


@dispatched
def polyder(coefficients: Any, *, m: int) -> Any:
    """The coefficients of the m-th derivative, the highest power's first."""
    n = np.shape(coefficients)[0]
    return coefficients[: n - m] * falling(n, m).astype(coefficients.dtype)


def polyder_vjp(g: Any, coefficients: Any, m: int) -> Any:
    """The same factors; the constants that are lost have no influence."""
    return np.pad(g * falling(np.shape(coefficients)[0], m).astype(g.dtype), pad_width=[(0, m)])


# So many coefficients, more than differentiations.
DERIVED = laws.one_of(*(((n,), {"m": m}) for n in (4, 1, 2, 3, 9, 17) for m in (1, 0, 2, 3) if m < n))
DEGREES = laws.shapes_of(
    *(((n,), shape) for n in (3, 1, 2, 5) for shape in ((3,), (2, 3), (), (0,), (33,), (2, 1, 3), (129,))),
    *(((17,), (2,)), ((9,), (3, 3))),
)  # fmt: skip

# -- areas up to each place --------------------------------------------------------------------------


@dispatched
def cumulative_trapezoid(y: Any, x: Any, *, axis: int) -> Any:
    """Σ_{i<k} (xᵢ₊₁ − xᵢ)(yᵢ₊₁ + yᵢ)/2 along the axis, for each place but the first."""
    y, x = along_last(y, x, axis)
    parts = (without_first(x) - without_last(x)) * (without_first(y) + without_last(y)) / 2
    return np.moveaxis(np.cumsum(parts, axis=LAST), source=LAST, destination=axis)


def later(g: Any, axis: int) -> Any:
    """For each part the cotangents of all areas that it is in, the axis last."""
    return running_sum_backwards(np.moveaxis(g, source=axis, destination=LAST), g, LAST)


def areas_by_values(g: Any, z: Any, y: Any, x: Any, axis: int) -> Any:
    """Each value has half the width on either side, of the areas that it is in."""
    _, places = along_last(y, x, axis)
    widths = later(g, axis) * (without_first(places) - without_last(places)) / 2
    return np.moveaxis(with_zero(widths, 0) + with_zero(widths, 1), source=LAST, destination=axis)


def areas_by_places(g: Any, z: Any, y: Any, x: Any, axis: int) -> Any:
    """Each place widens the part before it, and narrows the one behind it."""
    values, _ = along_last(y, x, axis)
    heights = later(g, axis) * (without_first(values) + without_last(values)) / 2
    share = with_zero(heights, 1) - with_zero(heights, 0)
    if np.ndim(x) == 1:
        return unbroadcast(share, np.shape(x))
    return np.moveaxis(share, source=LAST, destination=axis)


# -- rows --------------------------------------------------------------------------------------------

ROWS: tuple[Op, ...] = (
    general("polyval", polyval, polyval_coefficients, polyval_places,
        formula="c̄ₖ = Σ g xᵏ, x̄ = g Σ k cₖ xᵏ⁻¹", source="linear in the coefficients; the slope of each power",
        law=DEGREES, traits={HOLOMORPHIC, Homogeneous(1)}),
    linear("polyder", polyder, polyder_vjp,
        formula="c̄ₖ = g · k (k − 1) … (k − m + 1), 0 of the last m", source="linear; the slope of each power",
        law=DERIVED, traits={HOLOMORPHIC}),
    general("cumulative_trapezoid", cumulative_trapezoid, areas_by_values, areas_by_places,
        formula="ȳ, x̄: trapezoid's, g of each part the sum of those of the areas that it is in",
        source="trapezoid's rule after that of the running sum", law=areas,
        traits={QUADRATIC, HOLOMORPHIC, Homogeneous(1), Homogeneous(1, of=(1,)), Homogeneous(2, of=(0, 1))}),
)  # fmt: skip
