"""Norms of matrices, by their singular values, their columns or their rows; and their exponential."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from conformance.dtype import finfo
from conformance.op import SEPARATED, Domain, Op, OperandKind, Shape
from conformance.ops import laws
from conformance.ops.dispatch import dispatched
from conformance.ops.factorings.decompositions import svd, svdvals
from conformance.ops.linear_algebra import SQUARES
from conformance.ops.products import transposed
from conformance.ops.reductions import routed, vector_norm_vjp
from conformance.ops.rows import general
from conformance.ops.traits import HOLOMORPHIC, Homogeneous

# -- norms -------------------------------------------------------------------------------------------

MATRIX = (-2, -1)  # the axes
ORDERS = ("fro", "nuc", 2, 1, math.inf, -2, -1, -math.inf)


def largest_or_smallest(ord: float) -> Any:
    """Which sum, or which singular value, is the norm."""
    return np.max if ord > 0 else np.min


def sums_of_sizes(x: Any, ord: float) -> Any:
    """The sums of the sizes in each column, or in each row where the order is infinite."""
    return np.sum(np.abs(x), axis=-1 if math.isinf(ord) else -2, keepdims=True)


@dispatched
def matrix_norm(x: Any, *, ord: Any, keepdims: bool) -> Any:
    """The norm of each matrix: of its entries, of its singular values, of its columns or of its rows."""
    if ord == "fro":
        return np.linalg.vector_norm(x, axis=MATRIX, keepdims=keepdims)
    if ord in ("nuc", 2, -2):
        values = svdvals(x)
        norm = np.sum(values, axis=-1) if ord == "nuc" else values[..., 0 if ord > 0 else -1]
        return norm[..., None, None] if keepdims else norm
    return largest_or_smallest(ord)(sums_of_sizes(x, ord), axis=MATRIX, keepdims=keepdims)


def matrix_norm_vjp(g: Any, z: Any, x: Any, ord: Any, keepdims: bool) -> Any:
    """g times the matrix of ones in place of the singular values that count, or the signs in the column that counts."""
    if ord == "fro":
        return vector_norm_vjp(g, z, x, axis=MATRIX, keepdims=keepdims)
    if ord in ("nuc", 2, -2):
        u, s, vt = svd(x)
        places, count = np.arange(np.shape(s)[-1]), np.shape(s)[-1]
        is_counted = np.full(count, True) if ord == "nuc" else places == (0 if ord > 0 else count - 1)
        unit = np.matmul(u * is_counted.astype(x.dtype), vt)
        return np.reshape(g, shape=(*np.shape(x)[:-2], 1, 1)) * unit
    sums = sums_of_sizes(x, ord)
    norm = largest_or_smallest(ord)(sums, axis=MATRIX, keepdims=True)
    return np.sign(x) * routed(g, norm, sums, MATRIX)


@dispatched
def cond(x: Any, *, p: int) -> Any:
    """The largest singular value of each matrix over the smallest, or with p = −2 the other way round."""
    values = svdvals(x)
    first, last = values[..., 0], values[..., -1]
    return first / last if p > 0 else last / first


def cond_vjp(g: Any, z: Any, x: Any, p: int) -> Any:
    """g z times the matrix of the largest singular value's inverse, less that of the smallest's; with p = −2 less turned round."""
    u, s, vt = svd(x)
    places, count = np.arange(np.shape(s)[-1]), np.shape(s)[-1]
    sign = ((places == 0) * 1.0 - (places == count - 1) * 1.0) * (1 if p > 0 else -1)
    unit = np.matmul(u * np.expand_dims(sign.astype(x.dtype) / s, axis=-2), vt)
    return np.reshape(g * z, shape=(*np.shape(x)[:-2], 1, 1)) * unit


# The columns of these matrices, and their rows, have sums that are as far apart as their singular values.
NORMED: tuple[tuple[Shape], ...] = (
    *(((2, 2),), ((3, 3),), ((2, 3),), ((3, 2),), ((1, 1),), ((1, 2),), ((2, 1),), ((2, 3, 2),), ((0, 3, 2),)),
    *(((2, 1, 2, 3),), ((4, 4),), ((1, 2, 1, 3, 2),), ((17, 2, 2),)),
)  # fmt: skip
SIZES_APART = Domain(kind=OperandKind.INVERTIBLE, is_separated=True, kinks=(0.0,))

# -- the exponential ---------------------------------------------------------------------------------


def terms(dtype: Any) -> int:
    """How many terms the series of a matrix of norm ½ has in a precision, and its derivative: until 2⁻ᵏ/k! is less than a rounding error."""
    size, count = 1.0, 1
    while size > float(finfo(dtype).eps) / 2:
        size, count = size / (2 * count), count + 1
    return count


def halvings(x: Any) -> int:
    """How often matrices are halved until their norm is at most ½."""
    largest = np.shape(x)[-1] * float(np.max(np.abs(np.asarray(x)), initial=0))
    return max(0, math.ceil(math.log2(max(largest, 0.5))) + 1) if math.isfinite(largest) else 0


def series(x: Any, v: Any) -> tuple[Any, Any]:
    """Σ xᵏ/k! and its derivative along v, of matrices of a small norm, then squared as often as they were halved."""
    times = halvings(as_plain(x))
    x, v = x / 2**times, v / 2**times
    term, change = np.broadcast_to(np.eye(np.shape(x)[-1], dtype=x.dtype), shape=np.shape(x)), 0 * v
    total, slope = term, change
    for k in range(1, terms(x.dtype) + 1):
        change = (np.matmul(change, x) + np.matmul(term, v)) / k
        term = np.matmul(term, x) / k
        total, slope = total + term, slope + change
    for _ in range(times):
        slope = np.matmul(total, slope) + np.matmul(slope, total)
        total = np.matmul(total, total)
    return total, slope


def as_plain(x: Any) -> Any:
    """The size of each entry to the next whole number: its count of halvings needs no more, and has no derivative."""
    return np.ceil(np.abs(x))


@dispatched
def matrix_exp(x: Any) -> Any:
    """Σ xᵏ/k!, by scaling and squaring."""
    return series(x, 0 * x)[0]


def matrix_exp_vjp(g: Any, z: Any, x: Any) -> Any:
    """The derivative of exp at xᵀ along g."""
    return series(transposed(x), g)[1]


EXPONENTIATED = tuple(shapes for shapes in SQUARES if shapes[0][-1] < 5)

# -- rows --------------------------------------------------------------------------------------------

ROWS: tuple[Op, ...] = (
    general("matrix_norm", matrix_norm, matrix_norm_vjp,
        formula="x̄ = g U D Vᵀ, D the singular values that count as 1; g x/z of the Frobenius norm; g sign x in the column that counts",
        source="Giles 2008, 3.2: dσₖ = uₖᵀ dA vₖ; vector_norm's rule; max's rule on sums of sizes",
        domains=[SIZES_APART], law=laws.shapes_of(*NORMED, ord=ORDERS, keepdims=(False, True)),
        traits={Homogeneous(1)}),
    general("matrix_exp", matrix_exp, matrix_exp_vjp,
        formula="x̄ = d exp(xᵀ)[g]", source="Al-Mohy and Higham 2009, section 2: the series differentiated term by term; its transpose is that of xᵀ",
        domains=[Domain(low=-2.0, high=2.0)], law=laws.shapes_of(*EXPONENTIATED), traits={HOLOMORPHIC}),
    general("cond", cond, cond_vjp,
        formula="x̄ = g z (u₁ v₁ᵀ/σ₁ − uₙ vₙᵀ/σₙ), with p = −2 of the other sign", source="Giles 2008, 3.2: dσₖ = uₖᵀ dA vₖ; the quotient rule",
        domains=[SEPARATED], law=laws.shapes_of(*(s for s in NORMED if s[0][-1] > 1 and s[0][-2] > 1), p=(2, -2))),
)  # fmt: skip
