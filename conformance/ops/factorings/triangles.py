"""Linear algebra of triangles: their solution, and the factor Q R.

Q and R are known but for the signs of R's rows: here its diagonal is positive. Adapters do the same to what an engine gives.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from conformance.op import REAL, SEPARATED, WITH_PIVOTS, Op
from conformance.ops import laws
from conformance.ops.dispatch import dispatched
from conformance.ops.factorings.decompositions import TALL_AND_WIDE, needs_jacobi
from conformance.ops.linear_algebra import solve
from conformance.ops.products import transposed
from conformance.ops.rows import general, unbroadcast
from conformance.ops.traits import HOLOMORPHIC, SEVERAL_OUTPUTS, Homogeneous

# -- a system with a triangle ----------------------------------------------------------------------


@dispatched
def solve_triangular(a: Any, b: Any, *, lower: bool, unit_diagonal: bool) -> Any:
    """The x with T @ x = b, where T is a triangle of a, by substitution: pivots would mix rows of any magnitude."""
    count = np.shape(a)[-1]
    batch = np.broadcast_shapes(np.shape(a)[:-2], np.shape(b)[:-2])
    right = np.broadcast_to(b, (*batch, *np.shape(b)[-2:]), subok=True)
    rows: dict[int, Any] = {}
    for i in range(count) if lower else reversed(range(count)):
        rest = right[..., i, :]
        for j, row in rows.items():
            rest = rest - a[..., i, j, None] * row
        rows[i] = rest if unit_diagonal else rest / a[..., i, i, None]
    return np.stack([rows[i] for i in range(count)], axis=-2)


def pulled_back(g: Any, a: Any, lower: bool, unit_diagonal: bool) -> Any:
    """T⁻ᵀ g."""
    return solve_triangular(transposed(a), g, lower=not lower, unit_diagonal=unit_diagonal)


def triangular_right(g: Any, z: Any, a: Any, b: Any, lower: bool, unit_diagonal: bool) -> Any:
    """T⁻ᵀ g."""
    return unbroadcast(pulled_back(g, a, lower, unit_diagonal), np.shape(b))


def triangular_left(g: Any, z: Any, a: Any, b: Any, lower: bool, unit_diagonal: bool) -> Any:
    """−(T⁻ᵀ g) zᵀ in the triangle, without the diagonal where that is of ones."""
    solution = pulled_back(g, a, lower, unit_diagonal)
    whole = unbroadcast(-np.matmul(solution, transposed(z)), np.shape(a))
    offset = int(unit_diagonal)
    return np.tril(whole, k=-offset) if lower else np.triu(whole, k=offset)


# -- Q R -------------------------------------------------------------------------------------------


@dispatched
def qr(x: Any) -> tuple[Any, Any]:
    """Q with orthonormal columns, as many as the shorter side, and the upper triangular R, its diagonal positive."""
    if needs_jacobi(x):
        return _orthogonalised(x)
    q, r = np.linalg.qr(x)
    sign = np.sign(np.diagonal(r, axis1=-2, axis2=-1))
    return q * sign[..., None, :], r * sign[..., None]


def _orthogonalised(x: Any) -> tuple[Any, Any]:
    """By the modified method of Gram and Schmidt, each column twice, which is enough (Giraud and others 2005)."""
    count = min(x.shape[-2:])
    q, r = np.array(x[..., :count]), np.zeros((*x.shape[:-2], count, x.shape[-1]), x.dtype)
    for j in range(count):
        column = q[..., j]
        for i in (*range(j), *range(j)):
            part = np.sum(q[..., i] * column, axis=-1)
            r[..., i, j] += part
            column = column - part[..., None] * q[..., i]
        r[..., j, j] = np.sqrt(np.sum(column * column, axis=-1))
        q[..., j] = column / r[..., j, j][..., None]
    r[..., count:] = np.swapaxes(q, -1, -2) @ x[..., count:]
    return q, r


def qr_vjp(g: Any, z: Any, x: Any) -> Any:
    """(Q̄ + Q M) R⁻ᵀ, M the lower triangle of R R̄ᵀ − Q̄ᵀ Q mirrored; the columns beyond the square are Q R̄."""
    (gq, gr), (q, r) = g, z
    count, width = np.shape(r)[-2:]
    if width > count:
        inner, outer = x[..., :count], x[..., count:]
        gr, beyond = gr[..., :count], gr[..., count:]
        pulled = qr_vjp((gq + np.matmul(outer, transposed(beyond)), gr), (q, r[..., :count]), inner)
        return np.concatenate([pulled, np.matmul(q, beyond)], axis=-1)
    product = np.matmul(r, transposed(gr)) - np.matmul(transposed(gq), q)
    mirrored = np.tril(product) + transposed(np.tril(product, k=-1))
    return transposed(solve(r, transposed(gq + np.matmul(q, mirrored))))


# -- laws ------------------------------------------------------------------------------------------

TRIANGULAR = laws.shapes_of(
    *(((2, 2), (2, 1)), ((3, 3), (3, 2)), ((3, 3), (3, 3)), ((1, 1), (1, 2)), ((2, 3, 3), (2, 3, 1))),
    *(((3, 3, 3), (3, 3)), ((3, 3), (2, 3, 2)), ((2, 1, 2, 2), (3, 2, 1)), ((2, 2), (2, 0)), ((0, 2, 2), (2, 3))),
    *(((1, 3, 3), (2, 3, 2)), ((2, 3, 3), (1, 3, 2)), ((1, 2, 1, 2, 2), (1, 2, 1, 2, 3)), ((5, 5), (5, 7))),
    *(((2, 1, 2, 1, 2, 2), (2, 1, 2, 1, 2, 1)), ((8, 8), (8, 3)), ((2, 2), (2, 33)), ((17, 2, 2), (17, 2, 1))),
    lower=(True, False), unit_diagonal=(False, True),
)  # fmt: skip


# -- rows ------------------------------------------------------------------------------------------

ROWS: tuple[Op, ...] = (
    general("solve_triangular", solve_triangular, triangular_left, triangular_right,
        formula="B̄ = T⁻ᵀ g, Ā = −B̄ zᵀ in the triangle", source="Giles 2008, 2.3.1, of a triangle",
        domains=[WITH_PIVOTS, REAL], law=TRIANGULAR, traits={HOLOMORPHIC, Homogeneous(1, of=(1,))}),
    general("qr", qr, qr_vjp,
        formula="x̄ = (Q̄ + Q M) R⁻ᵀ, M the lower triangle of R R̄ᵀ − Q̄ᵀ Q mirrored",
        source="Walter and Lehmann 2013, theorem 4.2; a wide matrix as Q (R Z) of its first columns",
        domains=[SEPARATED], law=laws.shapes_of(*TALL_AND_WIDE),
        traits={SEVERAL_OUTPUTS, Homogeneous((0, 1))}),
)  # fmt: skip
