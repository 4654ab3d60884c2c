"""Systems whose matrix is known by its factor, or that have more equations than unknowns; chains and sums of products."""

from __future__ import annotations

import functools
from dataclasses import replace
from typing import Any

import numpy as np

from conformance.op import INVERTIBLE, REAL, SEPARATED, WITH_PIVOTS, Choose, Op, Shape, Signature
from conformance.ops import laws
from conformance.ops.dispatch import dispatched
from conformance.ops.factorings.decompositions import pinv, pinv_vjp
from conformance.ops.factorings.triangles import solve_triangular
from conformance.ops.linear_algebra import solve
from conformance.ops.products import transposed
from conformance.ops.rows import general, unbroadcast, variadic
from conformance.ops.traits import HOLOMORPHIC, QUADRATIC, Homogeneous

# -- systems -----------------------------------------------------------------------------------------


@dispatched
def cholesky_solve(b: Any, factor: Any, *, upper: bool) -> Any:
    """The x with L Lᵀ x = b, or Uᵀ U x = b; entries beyond the triangle do not count."""
    first, second = (transposed(factor), factor) if upper else (factor, transposed(factor))
    half = solve_triangular(first, b, lower=True, unit_diagonal=False)
    return solve_triangular(second, half, lower=False, unit_diagonal=False)


def cholesky_solve_right(g: Any, z: Any, b: Any, factor: Any, upper: bool) -> Any:
    """A⁻¹ g, the matrix being symmetric."""
    return unbroadcast(cholesky_solve(g, factor, upper=upper), np.shape(b))


def cholesky_solve_factor(g: Any, z: Any, b: Any, factor: Any, upper: bool) -> Any:
    """(Ā + Āᵀ) L in the triangle, or U (Ā + Āᵀ), with Ā = −A⁻¹ g zᵀ."""
    solution = cholesky_solve(g, factor, upper=upper)
    of_matrix = -np.matmul(solution, transposed(z))
    both = of_matrix + transposed(of_matrix)
    if upper:
        return unbroadcast(np.triu(np.matmul(np.triu(factor, k=0), both), k=0), np.shape(factor))
    return unbroadcast(np.tril(np.matmul(both, np.tril(factor, k=0)), k=0), np.shape(factor))


@dispatched
def cholesky_inverse(factor: Any, *, upper: bool) -> Any:
    """(L Lᵀ)⁻¹, or (Uᵀ U)⁻¹; entries beyond the triangle do not count."""
    return cholesky_solve(np.eye(np.shape(factor)[-1], dtype=factor.dtype), factor, upper=upper)


@dispatched
def lstsq(a: Any, b: Any) -> Any:
    """The x with the least |a x − b|, and of those the shortest; of matrices of full rank."""
    return np.matmul(pinv(a), b)


def lstsq_left(g: Any, z: Any, a: Any, b: Any) -> Any:
    """pinv's rule on g bᵀ."""
    inverse = pinv(a)
    return pinv_vjp(np.matmul(g, transposed(b)), inverse, a)


def arranged(a: Any, axes: tuple[int, ...] | None) -> Any:
    """A tensor with the axes that number the unknowns behind the others."""
    return a if axes is None else np.transpose(a, axes=order_of(np.ndim(a), axes))


def order_of(ndim: int, axes: tuple[int, ...]) -> tuple[int, ...]:
    """The axes, these behind the others."""
    return (*(axis for axis in range(ndim) if axis not in axes), *axes)


def as_system(a: Any, count: int) -> Any:
    """The matrix that a tensor is of so many equations."""
    return np.reshape(a, shape=(count, count))


@dispatched
def tensorsolve(a: Any, b: Any, *, axes: tuple[int, ...] | None) -> Any:
    """The x with Σ a x = b, summed over all axes of x, which are the last of `a`, or these."""
    whole = arranged(a, axes)
    x = solve(as_system(whole, np.size(b)), np.reshape(b, shape=(-1,)))
    return np.reshape(x, shape=np.shape(whole)[np.ndim(b) :])


def tensorsolve_right(g: Any, z: Any, a: Any, b: Any, axes: tuple[int, ...] | None) -> Any:
    """A⁻ᵀ g, A being the matrix that the tensor is."""
    matrix = as_system(arranged(a, axes), np.size(b))
    return np.reshape(solve(transposed(matrix), np.reshape(g, shape=(-1,))), shape=np.shape(b))


def tensorsolve_left(g: Any, z: Any, a: Any, b: Any, axes: tuple[int, ...] | None) -> Any:
    """−(A⁻ᵀ g) zᵀ, its axes where the tensor has them."""
    pulled = np.reshape(tensorsolve_right(g, z, a, b, axes), shape=(-1, 1))
    whole = -np.matmul(pulled, np.reshape(z, shape=(1, -1)))
    if axes is None:
        return np.reshape(whole, shape=np.shape(a))
    order = order_of(np.ndim(a), axes)
    tensor = np.reshape(whole, shape=tuple(np.shape(a)[axis] for axis in order))
    return np.transpose(tensor, axes=tuple(order.index(axis) for axis in range(len(order))))


# -- sums and chains of products ---------------------------------------------------------------------


@dispatched
def addmm(c: Any, a: Any, b: Any, *, alpha: float, beta: float) -> Any:
    """β c + α a b."""
    return beta * c + alpha * np.matmul(a, b)


@dispatched
def baddbmm(c: Any, a: Any, b: Any, *, alpha: float, beta: float) -> Any:
    """The same of stacks of matrices."""
    return beta * c + alpha * np.matmul(a, b)


ADDED = (
    lambda g, z, c, a, b, alpha, beta: unbroadcast(beta * g, np.shape(c)),
    lambda g, z, c, a, b, alpha, beta: alpha * np.matmul(g, transposed(b)),
    lambda g, z, c, a, b, alpha, beta: alpha * np.matmul(transposed(a), g),
)


def as_matrices(arrays: Any) -> list[Any]:
    """The factors of a chain: a vector at its beginning as a row, one at its end as a column."""
    first, *others = arrays
    *inner, last = others
    rows = np.expand_dims(first, axis=0) if np.ndim(first) == 1 else first
    return [rows, *inner, np.expand_dims(last, axis=1) if np.ndim(last) == 1 else last]


@dispatched
def multi_dot(*arrays: Any) -> Any:
    """The product of all the matrices; the first and the last may be vectors."""
    return functools.reduce(np.matmul, arrays)


def multi_dot_vjp(index: int, g: Any, z: Any, *arrays: Any) -> Any:
    """(the product before)ᵀ g (the product behind)ᵀ."""
    factors = as_matrices(arrays)
    before, behind = factors[:index], factors[index + 1 :]
    pulled = np.reshape(g, shape=(np.shape(factors[0])[0], np.shape(factors[-1])[1]))
    if before:
        pulled = np.matmul(transposed(functools.reduce(np.matmul, before)), pulled)
    if behind:
        pulled = np.matmul(pulled, transposed(functools.reduce(np.matmul, behind)))
    return np.reshape(pulled, shape=np.shape(arrays[index]))


# -- laws --------------------------------------------------------------------------------------------

FACTORED = laws.shapes_of(
    *(((2, 1), (2, 2)), ((3, 2), (3, 3)), ((3, 3), (3, 3)), ((1, 2), (1, 1)), ((2, 3, 1), (2, 3, 3))),
    *(((3, 3), (3, 3, 3)), ((2, 3, 2), (3, 3)), ((3, 2, 1), (2, 1, 2, 2)), ((2, 0), (2, 2)), ((0, 2, 3), (0, 2, 2))),
    *(((5, 7), (5, 5)), ((2, 33), (2, 2)), ((17, 2, 1), (17, 2, 2)), ((8, 3), (8, 8))),
    upper=(False, True),
)  # fmt: skip
FACTORS_ALONE = laws.shapes_of(
    *((s,) for s in ((2, 2), (3, 3), (1, 1), (2, 3, 3), (0, 2, 2), (2, 1, 2, 2), (5, 5), (8, 8), (17, 2, 2), (17, 17))),
    upper=(False, True),
)  # fmt: skip
OVERDETERMINED = laws.shapes_of(
    *(((3, 2), (3, 1)), ((3, 3), (3, 2)), ((2, 3), (2, 2)), ((1, 1), (1, 2)), ((3, 1), (3, 3)), ((2, 3, 2), (2, 3, 2))),
    *(((2, 1, 2, 3), (2, 1, 2, 1)), ((4, 4), (4, 1)), ((5, 2), (5, 3)), ((0, 3, 2), (0, 3, 1)), ((5, 3), (5, 17))),
)  # fmt: skip
# A tensor, the right-hand side, and the axes of the unknowns; by columns or rows the matrices have from 1 to 16 of them.
TENSORS: tuple[tuple[Shape, Shape, tuple[int, ...] | None], ...] = (
    *(((2, 3, 6), (2, 3), None), ((6, 2, 3), (6,), None), ((3, 2, 2, 3), (3, 2), None), ((2, 2, 2, 2), (2, 2), None)),
    *(((3, 3), (3,), None), ((1, 1, 1), (1,), None), ((4, 2, 2), (4,), None), ((2, 1, 2, 4), (2, 1, 2), None)),
    *(((6, 2, 3), (2, 3), (0,)), ((2, 6, 3), (2, 3), (1,)), ((2, 6, 3), (6,), (0, 2)), ((2, 6, 3), (6,), (2, 0))),
    *(((3, 3), (3,), (0,)), ((2, 2, 2, 2), (2, 2), (0, 1)), ((2, 2, 2, 2), (2, 2), (2, 1)), ((1, 5, 5), (5,), (0, 1))),
    *(((3, 3, 9), (3, 3), None), ((16, 2, 2, 2, 2), (16,), None), ((2, 8, 2, 2), (8,), (3, 0, 2))),
)  # fmt: skip


def systems(choose: Choose) -> Signature:
    """A tensor that is an invertible matrix, by the axes of the equations and those of the unknowns, and the right-hand side."""
    tensor, right, axes = choose(TENSORS)
    rows = tuple(range(len(right))) if axes is None else order_of(len(tensor), axes)[: len(right)]
    domains = (replace(INVERTIBLE, rows=rows), REAL)
    return Signature((tensor, right), {"axes": axes}, domains)


# What is added, and what is multiplied.
SUMMED: tuple[tuple[Shape, ...], ...] = (
    *(((2, 2), (2, 3), (3, 2)), ((3, 3), (3, 3), (3, 3)), ((2,), (3, 1), (1, 2)), ((1, 3), (2, 2), (2, 3))),
    *(((2, 1), (2, 3), (3, 3)), ((), (2, 3), (3, 1)), ((1,), (1, 2), (2, 3)), ((0, 2), (0, 3), (3, 2))),
    *(((2, 3), (2, 0), (0, 3)), ((7, 9), (7, 8), (8, 9)), ((17, 2), (17, 1), (1, 2)), ((33,), (2, 2), (2, 33))),
    *(((2, 1), (2, 65), (65, 1)), ((66, 2), (66, 3), (3, 2)), ((3, 1), (3, 2), (2, 3)), ((1, 2), (2, 3), (3, 2))),
    ((1, 1), (1, 1), (1, 1)),
)  # fmt: skip
FACTORS = {"alpha": (1.0, 0.3, -2.0, 0.0), "beta": (1.0, -0.3, 3.0, 0.0)}
STACKED: tuple[tuple[Shape, ...], ...] = (
    *((((2, *c) if len(c) == 2 else c), (2, *a), (2, *b)) for c, a, b in SUMMED),
    *(((1, 2, 2), (3, 2, 3), (3, 3, 2)), ((2, 2), (1, 2, 3), (1, 3, 2)), ((0, 2, 1), (0, 2, 3), (0, 3, 2))),
    *(((7, 2, 1), (7, 2, 3), (7, 3, 2)), ((3, 1, 1), (3, 2, 3), (3, 3, 2))),
)  # fmt: skip
CHAINS = laws.shapes_of(
    *(((2, 3), (3, 2)), ((3, 3), (3, 3), (3, 3)), ((2, 3), (3, 1), (1, 4)), ((3,), (3, 2), (2, 3))),
    *(((2, 3), (3, 2), (2,)), ((3,), (3, 2), (2,)), ((3,), (3, 2)), ((2, 1), (1, 3), (3, 2), (2, 2))),
    *(((0, 2), (2, 3), (3, 1)), ((2, 0), (0, 3)), ((7, 8), (8, 2), (2, 9)), ((2, 3), (3, 2), (2, 1), (1, 3), (3, 2))),
    *(((17, 2), (2, 1), (1, 17)), ((2, 33), (33, 2)), ((3,), (3, 2), (2, 3), (3,))),
    *(((3,), (3, 3), (3, 3), (3,)), ((1, 3), (3, 1), (1, 2))),
)  # fmt: skip

# -- rows --------------------------------------------------------------------------------------------

ROWS: tuple[Op, ...] = (
    general("tensorsolve", tensorsolve, tensorsolve_left, tensorsolve_right,
        formula="b̄ = A⁻ᵀ g, ā = −b̄ zᵀ, A the matrix that the tensor is", source="Giles 2008, 2.3.1: solve's rule",
        domains=[INVERTIBLE, REAL], law=systems, traits={HOLOMORPHIC, Homogeneous(-1), Homogeneous(1, of=(1,))}),
    general("cholesky_solve", cholesky_solve, cholesky_solve_right, cholesky_solve_factor,
        formula="b̄ = A⁻¹ g, L̄ = (Ā + Āᵀ) L in the triangle, Ā = −b̄ zᵀ",
        source="Giles 2008, 2.3.1 and 2.2.3: A = L Lᵀ", domains=[REAL, WITH_PIVOTS], law=FACTORED,
        traits={Homogeneous(1), Homogeneous(-2, of=(1,))}),
    general("cholesky_inverse", cholesky_inverse, lambda g, z, a, upper: cholesky_solve_factor(g, z, None, a, upper),
        formula="L̄ = (Ā + Āᵀ) L in the triangle, Ā = −z g z", source="Giles 2008, 2.2.3: A = L Lᵀ, the inverse's rule",
        domains=[WITH_PIVOTS], law=FACTORS_ALONE, traits={Homogeneous(-2)}),
    general("lstsq", lstsq, lstsq_left, lambda g, z, a, b: np.matmul(transposed(pinv(a)), g),
        formula="b̄ = A⁺ᵀ g, Ā = pinv's rule on g bᵀ", source="Golub and Pereyra 1973, eq. 4.12: z = A⁺ b",
        domains=[SEPARATED, REAL], law=OVERDETERMINED, traits={Homogeneous(-1), Homogeneous(1, of=(1,))}),
    general("addmm", addmm, *ADDED,
        formula="c̄ = Σ β g, Ā = α g Bᵀ, B̄ = α Aᵀ g", source="matmul's rule; what is added is broadcast",
        law=laws.shapes_of(*SUMMED, **FACTORS),
        traits={QUADRATIC, HOLOMORPHIC, Homogeneous(1, of=(0, 1)), Homogeneous(1, of=(0, 2))}),
    general("baddbmm", baddbmm, *ADDED,
        formula="c̄ = Σ β g, Ā = α g Bᵀ, B̄ = α Aᵀ g", source="matmul's rule; what is added is broadcast",
        law=laws.shapes_of(*STACKED, **FACTORS),
        traits={QUADRATIC, HOLOMORPHIC, Homogeneous(1, of=(0, 1)), Homogeneous(1, of=(0, 2))}),
    variadic("multi_dot", multi_dot, multi_dot_vjp,
        formula="x̄ᵢ = (x₁ ⋯ xᵢ₋₁)ᵀ g (xᵢ₊₁ ⋯ xₙ)ᵀ", source="matmul's rule on both sides", law=CHAINS,
        traits={HOLOMORPHIC, Homogeneous(1)}),
)  # fmt: skip
