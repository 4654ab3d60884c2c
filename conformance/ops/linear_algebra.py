"""Linear algebra: what transposes, solves and factors matrices.

Matrices are the last two axes, batches the axes before them. Sources are Giles 2008, "An extended
collection of matrix derivative results for forward and reverse mode algorithmic differentiation",
or the differential the rule follows from by ⟨g, dz⟩ = ⟨x̄, dx⟩.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from conformance.op import INVERTIBLE, POSITIVE_DEFINITE, POSITIVE_DETERMINANT, REAL, Op, Shape
from conformance.ops import laws
from conformance.ops.dispatch import dispatched
from conformance.ops.factorings.elimination import cholesky_factor, gauss_jordan, needs_written_out
from conformance.ops.products import transposed
from conformance.ops.rows import general, linear, unbroadcast
from conformance.ops.traits import HOLOMORPHIC, SEVERAL_OUTPUTS, Homogeneous, exactly_undone_by, undone_by

# -- references ------------------------------------------------------------------------------------


@dispatched
def solve(a: Any, b: Any) -> Any:
    """The x with a @ x = b, where b is one vector or a stack of matrices."""
    if not needs_written_out(a, b):
        return np.linalg.solve(a, b)
    columns = b[:, None] if b.ndim == 1 else b
    solution = gauss_jordan(a, columns)[0]
    return solution[..., 0] if b.ndim == 1 else solution


@dispatched
def inv(x: Any) -> Any:
    """The inverse of each matrix."""
    return (
        gauss_jordan(x, np.eye(x.shape[-1], dtype=x.dtype))[0] if needs_written_out(x) else np.linalg.inv(x)
    )


@dispatched
def det(x: Any) -> Any:
    """The determinant of each matrix."""
    return gauss_jordan(x, x[..., :0])[1] if needs_written_out(x) else np.linalg.det(x)


@dispatched
def slogdet(x: Any) -> tuple[Any, Any]:
    """The sign of the determinant of each matrix, and the logarithm of its size."""
    if needs_written_out(x):
        determinant = gauss_jordan(x, x[..., :0])[1]
        return np.sign(determinant), np.log(np.abs(determinant))
    sign, logarithm = np.linalg.slogdet(x)
    return sign, logarithm


@dispatched
def logdet(x: Any) -> Any:
    """The logarithm of the determinant of each matrix."""
    if np.iscomplexobj(x) or needs_written_out(x):
        return np.log(det(x))
    sign, logarithm = np.linalg.slogdet(x)
    return np.where(sign < 0, np.nan, logarithm)[()]


@dispatched
def cholesky(x: Any, *, upper: bool = False) -> Any:
    """The lower triangular L with L Lᵀ = (x + xᵀ)/2, or Lᵀ; so every entry of x counts, and x̄ is symmetric."""
    symmetric = (x + np.matrix_transpose(x)) / 2
    # L Lᵀ and not L Lᴴ, whose entries are no analytic functions
    if not np.iscomplexobj(x) and not needs_written_out(x):
        return np.linalg.cholesky(symmetric, upper=upper)
    factor = cholesky_factor(symmetric)
    return np.matrix_transpose(factor) if upper else factor


@dispatched
def matrix_power(x: Any, *, n: int) -> Any:
    """x multiplied by itself, n factors in all; the inverse's powers where n is negative."""
    base = x if n >= 0 else inv(x)
    result = np.broadcast_to(np.eye(x.shape[-1], dtype=x.dtype), x.shape)
    for _ in range(abs(n)):
        result = np.matmul(result, base)
    return np.array(result)


# -- inverses and factors --------------------------------------------------------------------------


def as_columns(v: Any, b: Any) -> Any:
    """The vectors `v` as columns where `b` is a vector; else `v`."""
    return np.expand_dims(v, axis=-1) if np.ndim(b) == 1 else v


def solve_right(g: Any, z: Any, a: Any, b: Any) -> Any:
    """A⁻ᵀ g."""
    solution = unbroadcast(solve(transposed(a), as_columns(g, b)), np.shape(as_columns(b, b)))
    return np.reshape(solution, shape=np.shape(b))


def solve_left(g: Any, z: Any, a: Any, b: Any) -> Any:
    """−(A⁻ᵀ g) zᵀ."""
    solution = solve(transposed(a), as_columns(g, b))
    return unbroadcast(-np.matmul(solution, transposed(as_columns(z, b))), np.shape(a))


def as_factor(g: Any) -> Any:
    """A number for each matrix, ready to multiply it."""
    return np.expand_dims(g, axis=(-2, -1))


def cofactors(x: Any) -> Any:
    """For each entry of a matrix, the signed determinant of what is left without its row and column."""
    n = np.shape(x)[-1]
    others = [[k for k in range(n) if k != i] for i in range(n)]
    rows = [np.take(x, others[i], axis=-2) for i in range(n)]
    signed = [
        [(-1) ** (i + j) * det(np.take(rows[i], others[j], axis=-1)) for j in range(n)] for i in range(n)
    ]
    return np.stack([np.stack(row, axis=-1) for row in signed], axis=-2)


def det_vjp(g: Any, z: Any, x: Any) -> Any:
    """g · z x⁻ᵀ; of a singular matrix the limit, which is the cofactors."""
    is_singular = bool(np.any(z == 0))
    return as_factor(g) * cofactors(x) if is_singular else as_factor(g * z) * transposed(inv(x))


def cholesky_vjp(g: Any, z: Any, x: Any, upper: bool = False) -> Any:
    """sym(L⁻ᵀ Φ(Lᵀ g) L⁻¹), where Φ keeps the lower triangle and half of the diagonal."""
    if upper:
        g, z = transposed(g), transposed(z)
    n = np.shape(x)[-1]
    phi = (np.tri(n) - np.eye(n) / 2).astype(x.dtype)
    middle = phi * np.matmul(transposed(z), g)
    left = solve(transposed(z), middle)
    whole = transposed(solve(transposed(z), transposed(left)))
    return (whole + transposed(whole)) / 2


def matrix_power_vjp(g: Any, z: Any, x: Any, n: int) -> Any:
    """Σ (Xᵀ)ᵏ g (Xᵀ)ⁿ⁻¹⁻ᵏ; a negative power is a power of the inverse."""
    if n < 0:
        y = inv(x)
        back = transposed(y)
        return -np.matmul(np.matmul(back, matrix_power_vjp(g, z, y, -n)), back)
    back = transposed(x)
    terms = [
        np.matmul(np.matmul(matrix_power(back, n=k), g), matrix_power(back, n=n - 1 - k)) for k in range(n)
    ]
    return sum(terms) if terms else 0 * g


def trace_vjp(g: Any, x: Any, offset: int = 0) -> Any:
    """g on the diagonal that was summed."""
    rows, columns = np.shape(x)[-2:]
    return as_factor(g) * np.eye(rows, columns, k=offset, dtype=x.dtype)


# -- laws ------------------------------------------------------------------------------------------

SQUARES: tuple[tuple[Shape], ...] = (
    *(((2, 2),), ((3, 3),), ((1, 1),), ((2, 3, 3),), ((3, 3, 3),), ((0, 2, 2),), ((4, 4),), ((5, 5),)),
    *(((1, 3, 3),), ((2, 0, 2, 2),), ((2, 1, 2, 2),), ((1, 2, 1, 3, 3),), ((2, 1, 2, 1, 2, 2),)),
    *(((7, 7),), ((2, 8, 8),), ((9, 9),), ((33, 2, 2),), ((7, 3, 3),), ((66, 2, 2),)),
    *(((17, 17),), ((33, 33),)),
)  # fmt: skip
SQUARE = laws.shapes_of(*SQUARES)
POWERS = laws.shapes_of(
    *(shapes for shapes in SQUARES if shapes[0][-1] < 7), n=(2, 3, 1, 0, -1, -2, 4, 7, -3)
)
SOLVE = laws.shapes_of(
    *(((2, 2), (2,)), ((3, 3), (3, 2)), ((3, 3), (3, 3)), ((1, 1), (1, 2)), ((2, 3, 3), (2, 3, 1))),
    *(((3, 3, 3), (3, 3)), ((3, 3), (2, 3, 2)), ((2, 1, 2, 2), (3, 2, 1)), ((3, 2, 2), (2,)), ((2, 2), (2, 0))),
    *(((1, 1), (1,)), ((1, 3, 3), (2, 3, 2)), ((2, 3, 3), (1, 3, 2)), ((0, 2, 2), (2, 3)), ((2, 2), (0, 2, 1))),
    *(((2, 1, 2, 2), (2,)), ((1, 2, 1, 2, 2), (2, 1, 2, 3)), ((2, 1, 2, 1, 2, 2), (2, 2)), ((2, 3, 2, 2), (2, 1)), ((2, 2), (2, 3, 2, 3)), ((5, 5), (5, 7))),
    *(((7, 7), (7,)), ((8, 8), (8, 3)), ((9, 9), (9, 1)), ((2, 2), (2, 33)), ((17, 2, 2), (17, 2, 1))),
    *(((7, 2, 2), (7, 2, 3)), ((66, 2, 2), (2, 1)), ((2, 2), (66, 2, 2))),
    ((33, 33), (33, 33)),
)  # fmt: skip
TRACED: tuple[Shape, ...] = tuple(shape for shape in laws.MATRICES if shape[-1])
TRACE = laws.shapes_of(*((s,) for s in ((3, 2), (2, 0), *TRACED)), offset=(0, 1, -1, 2, -2, 5))


# -- one matrix ------------------------------------------------------------------------------------

ONE_MATRIX = (
    linear("matrix_transpose", np.matrix_transpose, lambda g, x: transposed(g),
        formula="x̄ = gᵀ", source="linear; its own inverse",
        law=laws.shapes_of(*((s,) for s in laws.MATRICES)),
        traits={HOLOMORPHIC, exactly_undone_by("matrix_transpose")}),
    linear("trace", np.linalg.trace, trace_vjp,
        formula="x̄ = g · I", source="Giles 2008, 2.2.4: d tr A = tr dA", law=TRACE, traits={HOLOMORPHIC}),
)  # fmt: skip


# -- inverses and factors --------------------------------------------------------------------------

INVERSES = (
    general("solve", solve, solve_left, solve_right,
        formula="B̄ = A⁻ᵀ g, Ā = −B̄ zᵀ", source="Giles 2008, 2.3.1", domains=[INVERTIBLE, REAL], law=SOLVE,
        traits={HOLOMORPHIC, Homogeneous(-1), Homogeneous(1, of=(1,))}),
    general("inv", inv, lambda g, z, x: -np.matmul(np.matmul(transposed(z), g), transposed(z)),
        formula="x̄ = −zᵀ g zᵀ", source="Giles 2008, 2.2.3: d(A⁻¹) = −A⁻¹ dA A⁻¹",
        domains=[INVERTIBLE], law=SQUARE, traits={HOLOMORPHIC, Homogeneous(-1), undone_by("inv")}),
    general("det", det, det_vjp,
        formula="x̄ = g · z x⁻ᵀ, the cofactors where z = 0", source="Giles 2008, 2.2.4: Jacobi's formula, d det A = det A tr(A⁻¹ dA)",
        domains=[INVERTIBLE], law=SQUARE, traits={HOLOMORPHIC}),
    general("slogdet", slogdet, lambda g, z, x: as_factor(g[1]) * transposed(inv(x)),
        formula="x̄ = g₁ · x⁻ᵀ", source="d log|det A| = tr(A⁻¹ dA); the sign is locally constant",
        domains=[INVERTIBLE], law=SQUARE, traits={SEVERAL_OUTPUTS}),
    general("logdet", logdet, lambda g, z, x: as_factor(g) * transposed(inv(x)),
        formula="x̄ = g · x⁻ᵀ", source="d log det A = tr(A⁻¹ dA)",
        domains=[POSITIVE_DETERMINANT], law=SQUARE, traits={HOLOMORPHIC}),
    general("matrix_power", matrix_power, matrix_power_vjp,
        formula="x̄ = Σₖ (xᵀ)ᵏ g (xᵀ)ⁿ⁻¹⁻ᵏ", source="product rule on x · x · … · x",
        domains=[INVERTIBLE], law=POWERS, traits={HOLOMORPHIC}),
    general("cholesky", cholesky, cholesky_vjp,
        formula="x̄ = sym(z⁻ᵀ Φ(zᵀ g) z⁻¹)",
        source="Murray 2016, eq. 10, symmetrised: Φ is the lower triangle with half of the diagonal",
        domains=[POSITIVE_DEFINITE], law=laws.with_parameters(SQUARE, upper=(False, True)), traits={Homogeneous(0.5)}),
)  # fmt: skip

ROWS: tuple[Op, ...] = ONE_MATRIX + INVERSES
