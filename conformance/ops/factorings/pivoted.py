"""Factors of a matrix whose rows are exchanged: x = P L U, and systems solved by them.

P is chosen by comparing entries, and does not change when they change a little: it is no output here, and its gradient is none.
Rules read it off the factors. Of matrices with more rows than columns it is not known where rows of L are alike: there are none here.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from conformance.op import INVERTIBLE, REAL, SEPARATED, WITH_PIVOTS, Choose, Op, Shape, Signature
from conformance.ops.dispatch import dispatched
from conformance.ops.factorings.triangles import solve_triangular
from conformance.ops.indexing import getitem
from conformance.ops.products import transposed
from conformance.ops.rows import general, unbroadcast
from conformance.ops.traits import HOLOMORPHIC, SEVERAL_OUTPUTS, Homogeneous

# -- L U -------------------------------------------------------------------------------------------


@dispatched
def lu(x: Any) -> tuple[Any, Any]:
    """L with a diagonal of ones and no entry larger than 1, and U, by elimination with partial pivoting."""
    rows, columns = np.shape(x)[-2:]
    flat = np.reshape(x, (math.prod(np.shape(x)[:-2]), rows, columns))
    lower, upper = np.zeros_like(flat, shape=(len(flat), rows, rows)), np.zeros_like(flat)
    for i in range(len(flat)):
        rest = flat[i].copy()
        for k in range(rows):
            pivot = k + int(np.argmax(np.abs(rest[k:, k])))
            rest[[k, pivot]] = rest[[pivot, k]]
            below = rest[k + 1 :]
            below[:, k] = below[:, k] / rest[k, k]
            below[:, k + 1 :] = below[:, k + 1 :] - below[:, k, None] * rest[k, k + 1 :]
        lower[i] = np.tril(rest[:, :rows], -1) + np.eye(rows)
        upper[i] = np.triu(rest)
    return np.reshape(lower, (*np.shape(x)[:-1], rows)), np.reshape(upper, np.shape(x))


def permutation(x: Any, lower: Any, square: Any) -> Any:
    """P, from P L = x U⁻¹: which row of L each of the right side's rows is."""
    count = np.shape(lower)[-1]
    first = transposed(getitem(x, index=(Ellipsis, slice(0, count))))
    permuted = transposed(solve_triangular(transposed(square), first, lower=True, unit_diagonal=False))
    apart = np.abs(np.expand_dims(permuted, axis=-2) - np.expand_dims(lower, axis=-3))
    known = np.where(np.isnan(apart), 0, apart)  # a NaN in one column says nothing of the others
    place = np.argmin(np.sum(known, axis=-1), axis=-1, keepdims=True)
    return (place == np.arange(count)).astype(x.dtype)


def lu_vjp(g: Any, z: Any, x: Any) -> Any:
    """P L⁻ᵀ (tril₋₁(Lᵀ L̄ − Ū₂ U₂ᵀ) + triu(Ū₁ U₁ᵀ)) U₁⁻ᵀ for the square, P L⁻ᵀ Ū₂ for the columns beyond it."""
    (gl, gu), (lower, upper) = g, z
    count = np.shape(lower)[-1]
    inner, outer = (Ellipsis, slice(0, count)), (Ellipsis, slice(count, None))
    square, beyond = getitem(upper, index=inner), getitem(upper, index=outer)
    g_square, g_beyond = getitem(gu, index=inner), getitem(gu, index=outer)
    below = np.matmul(transposed(lower), gl) - np.matmul(g_beyond, transposed(beyond))
    inside = np.tril(below, k=-1) + np.triu(np.matmul(g_square, transposed(square)))
    first = transposed(solve_triangular(square, transposed(inside), lower=False, unit_diagonal=False))
    whole = np.concatenate([first, g_beyond], axis=-1)
    pulled = solve_triangular(transposed(lower), whole, lower=False, unit_diagonal=True)
    return np.matmul(permutation(x, lower, square), pulled)


FACTORED: tuple[Shape, ...] = (
    *((3, 3), (2, 2), (2, 3), (1, 1), (2, 3, 3), (3, 3, 3), (1, 3), (2, 2, 3), (0, 2, 2), (2, 1, 2, 2)),
    *((1, 2, 1, 2, 2), (5, 5), (5, 7), (8, 8), (2, 17), (7, 2, 2), (17, 2, 2)),
)  # fmt: skip


def factoring(choose: Choose) -> Signature:
    """Matrices with an inverse, some of them permuted diagonals, or with columns beside it."""
    shape = choose(FACTORED)
    return Signature((shape,), domains=(INVERTIBLE if shape[-2] == shape[-1] else SEPARATED,))


# -- systems -----------------------------------------------------------------------------------------


def exchanged(b: Any, pivots: list[int], *, is_back: bool) -> Any:
    """The rows of b exchanged one after the other as the pivots say, or back again."""
    order = list(range(np.shape(b)[-2]))
    for k, pivot in reversed([*enumerate(pivots)]) if is_back else enumerate(pivots):
        order[k], order[pivot] = order[pivot], order[k]
    return getitem(b, index=(Ellipsis, order, slice(None)))


@dispatched
def lu_solve(factors: Any, b: Any, *, pivots: list[int]) -> Any:
    """The X with P L U X = b, both factors in one matrix, and P that of the exchanges of each row with its pivot."""
    right = solve_triangular(factors, exchanged(b, pivots, is_back=False), lower=True, unit_diagonal=True)
    return solve_triangular(factors, right, lower=False, unit_diagonal=False)


def both_pulled(g: Any, factors: Any) -> tuple[Any, Any]:
    """U⁻ᵀ g, and L⁻ᵀ of it."""
    upper = solve_triangular(transposed(factors), g, lower=True, unit_diagonal=False)
    return upper, solve_triangular(transposed(factors), upper, lower=False, unit_diagonal=True)


def lu_solve_right(g: Any, z: Any, factors: Any, b: Any, pivots: list[int]) -> Any:
    """P L⁻ᵀ U⁻ᵀ g."""
    return unbroadcast(exchanged(both_pulled(g, factors)[1], pivots, is_back=True), np.shape(b))


def lu_solve_factors(g: Any, z: Any, factors: Any, b: Any, pivots: list[int]) -> Any:
    """−(U⁻ᵀ g) Xᵀ in the upper triangle, −(L⁻ᵀ U⁻ᵀ g) (U X)ᵀ below."""
    upper, lower = both_pulled(g, factors)
    middle = np.matmul(np.triu(factors), z)
    above = np.triu(np.matmul(upper, transposed(z)))
    below = np.tril(np.matmul(lower, transposed(middle)), k=-1)
    return unbroadcast(-above - below, np.shape(factors))


SOLVED: tuple[tuple[Shape, Shape, list[int]], ...] = (
    *(((3, 3), (3, 2), [1, 2, 2]), ((2, 2), (2, 1), [1, 1]), ((3, 3), (3, 3), [0, 1, 2]), ((1, 1), (1, 2), [0])),
    *(((3, 3), (3, 1), [2, 2, 2]), ((5, 5), (5, 3), [4, 1, 3, 4, 4]), ((2, 2), (2, 33), [0, 1]), ((2, 2), (2, 0), [1, 1])),
    *(((8, 8), (8, 3), [7, 6, 2, 3, 5, 5, 7, 7]), ((17, 17), (17, 1), [*range(1, 17), 16])),
    # Stacks of factors, of right sides or of both, all with the same exchanges.
    *(((2, 2), (3, 2, 1), [0, 1]), ((3, 3), (2, 3, 2), [1, 2, 2]), ((2, 2, 2), (2, 3), [1, 1])),
    *(((3, 2, 2), (3, 2, 2), [0, 1]), ((2, 3, 3), (2, 3, 1), [2, 1, 2]), ((2, 1, 2, 2), (3, 2, 1), [1, 1])),
    *(((0, 2, 2), (0, 2, 1), [0, 1]), ((1, 3, 3), (2, 3, 2), [0, 2, 2])),
)  # fmt: skip


def solving(choose: Choose) -> Signature:
    """Two factors in one matrix, right sides, and the pivots."""
    square, right, pivots = choose(SOLVED)
    return Signature((square, right), {"pivots": pivots})


ROWS: tuple[Op, ...] = (
    general("lu", lu, lu_vjp,
        formula="x̄ = P L⁻ᵀ (tril₋₁(Lᵀ L̄ − Ū₂ U₂ᵀ) + triu(Ū₁ U₁ᵀ)) U₁⁻ᵀ; of the columns beyond the square P L⁻ᵀ Ū₂",
        source="de Hoog, Anderssen and Lukas 2011: dL and dU are the parts of L⁻¹ dx U⁻¹; Pᵀ x = L U",
        domains=[INVERTIBLE], law=factoring, traits={SEVERAL_OUTPUTS, HOLOMORPHIC}),
    general("lu_solve", lu_solve, lu_solve_factors, lu_solve_right,
        formula="Y = U⁻ᵀ g, W = L⁻ᵀ Y, b̄ = P W, f̄ = −triu(Y Xᵀ) − tril₋₁(W (U X)ᵀ)",
        source="solve_triangular's rule twice", domains=[WITH_PIVOTS, REAL], law=solving,
        traits={HOLOMORPHIC, Homogeneous(1, of=(1,))}),
)  # fmt: skip
