"""Scans and differences along one axis, or of the flattened operand."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from conformance.op import Choose, Law, Op, Shape, Signature
from conformance.ops import laws
from conformance.ops.dispatch import dispatched
from conformance.ops.reductions import FEW, MANY, SOME, apart
from conformance.ops.rows import general, linear
from conformance.ops.traits import HOLOMORPHIC, Shift

# -- scans: one axis, or None for the flattened operand --------------------------------------------


def scanned_last(x: Any, axis: int | None) -> Any:
    """`x` with the axis of the scan last (flattened where it is None)."""
    return np.reshape(x, shape=(-1,)) if axis is None else np.moveaxis(x, source=axis, destination=-1)


def unscanned(scan: Any, x: Any, axis: int | None) -> Any:
    """The inverse of `scanned_last`: back to the shape of `x`."""
    if axis is None:
        return np.reshape(scan, shape=np.shape(x))
    return np.moveaxis(scan, source=-1, destination=axis)


def running_sum_backwards(g: Any, x: Any, axis: int | None = None) -> Any:
    """Σ_{j≥i} gⱼ."""
    backwards = np.flip(scanned_last(g, axis), axis=-1)
    return unscanned(np.flip(np.cumsum(backwards, axis=-1), axis=-1), x, axis)


def cumulative_prod_vjp(g: Any, z: Any, x: Any, axis: int | None = None) -> Any:
    """Σ_{j≥i} gⱼ Π_{k≤j, k≠i} xₖ, the products without dividing."""
    rows, cotangent = scanned_last(x, axis), scanned_last(g, axis)
    n = np.shape(rows)[-1]
    others = np.cumprod(np.where(np.eye(n, dtype=bool), 1, np.expand_dims(rows, axis=-2)), axis=-1)
    return unscanned(_summed_later(others, cotangent), x, axis)


def logcumsumexp_vjp(g: Any, z: Any, x: Any, axis: int | None = None) -> Any:
    """Σ_{j≥i} gⱼ exp(xᵢ − zⱼ), whose exponents are never positive; the shares of each j made to sum to 1."""
    rows, result, cotangent = (scanned_last(a, axis) for a in (x, z, g))
    n = np.shape(rows)[-1]
    is_later = ~np.tri(n, k=-1, dtype=bool)
    exponents = apart(np.expand_dims(rows, axis=-1), np.expand_dims(result, axis=-2))
    shares = np.triu(np.exp(np.where(is_later, exponents, 0)))
    shares = shares / np.sum(shares, axis=-2, keepdims=True)
    return unscanned(_summed_later(shares, cotangent), x, axis)


def _summed_later(slopes: Any, cotangent: Any) -> Any:
    """Σ_{j≥i} gⱼ slopeᵢⱼ; an earlier cotangent is left out, not multiplied by 0, since it may be NaN."""
    is_later = ~np.tri(np.shape(slopes)[-1], k=-1, dtype=bool)
    return np.sum(np.where(is_later, slopes * np.expand_dims(cotangent, axis=-2), 0), axis=-1)


def difference_transposed(g: Any, x: Any, n: int = 1, axis: int = -1) -> Any:
    """(−1)ⁿ times the n-th difference of `g` between n zeros on either side."""
    ndim = np.ndim(x)
    margins = tuple((n, n) if a == axis % ndim else (0, 0) for a in range(ndim))
    return (-1) ** n * np.diff(np.pad(g, pad_width=margins), n=n, axis=axis)


# -- references NumPy lacks ------------------------------------------------------------------------


@dispatched
def logcumsumexp(x: Any, *, axis: int | None = None) -> Any:
    """The logarithm of the running sum of exponentials."""
    rows = scanned_last(x, axis)
    if not np.iscomplexobj(rows):
        scan = np.logaddexp.accumulate(rows, axis=-1)
    else:
        # Each sum is shifted by its own largest term: one shift for all would make 0 of the small sums before it.
        shift = np.maximum.accumulate(np.real(rows), axis=-1)
        is_summed = np.tri(rows.shape[-1], dtype=bool)
        terms = np.where(is_summed, rows[..., None, :] - shift[..., :, None], -np.inf)
        scan = shift + np.log(np.sum(np.exp(terms), axis=-1))
    return scan if axis is None else np.moveaxis(scan, -1, axis)


# -- laws ------------------------------------------------------------------------------------------


def scanning(shapes: Sequence[Shape]) -> Law:
    """One operand and the axis of the scan, None for the flattened operand."""

    def law(choose: Choose) -> Signature:
        shape = choose([s for s in shapes if s])
        return Signature((shape,), {"axis": choose([-1, *range(len(shape)), *range(-len(shape), -1), None])})

    return law


def difference(choose: Choose) -> Signature:
    """One operand, the order `n` of the difference, and the axis."""
    blocks = ((8,), (2, 17), (33,), (64, 2), (129,), (1025,))
    ranks = ((2, 1, 3, 2), (1, 2, 1, 3, 2), (2, 1, 2, 3, 1, 2))
    shape = choose(
        ((3,), (2, 3), (3, 3), (4, 1), (3, 3, 3), (3, 0), (0, 3), (2, 0, 3), (5,), *ranks, *blocks)
    )
    axis = choose([-1, *range(len(shape)), *range(-len(shape), -1)])
    order = choose([n for n in (1, 2, 0, 3) if n <= shape[axis]])
    return Signature((shape,), {"n": order, "axis": axis})


# -- rows ------------------------------------------------------------------------------------------

ROWS: tuple[Op, ...] = (
    linear("cumulative_sum", np.cumsum, running_sum_backwards,
        formula="x̄ᵢ = Σ_{j≥i} gⱼ", source="linear; the transpose of a running sum runs backwards",
        law=scanning((*laws.SHAPES, *laws.LONG_ROWS, MANY)), aliases=("cumsum",), traits={HOLOMORPHIC}),
    general("cumulative_prod", np.cumprod, cumulative_prod_vjp,
        formula="x̄ᵢ = Σ_{j≥i} gⱼ Π_{k≤j, k≠i} xₖ", source="product rule on each running product",
        law=scanning(FEW), aliases=("cumprod",), traits={HOLOMORPHIC}),
    general("logcumsumexp", logcumsumexp, logcumsumexp_vjp,
        formula="x̄ᵢ = Σ_{j≥i} gⱼ exp(xᵢ − zⱼ)", source="logsumexp's rule on each prefix", law=scanning(SOME),
        traits={HOLOMORPHIC, Shift(1)}),
    linear("diff", np.diff, difference_transposed,
        formula="x̄ = (−1)ⁿ Δⁿ(0…0 g 0…0)",
        source="linear; the transpose of a difference is minus the difference of g between zeros",
        law=difference, traits={HOLOMORPHIC}),
)  # fmt: skip
