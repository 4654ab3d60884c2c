"""Linear algebra of eigenvalues, singular values and triangles.

Eigenvectors and singular vectors are known but for their signs. A sign is constant where they are differentiable, so
rows fix it: an eigenvector's product with certain weights is positive. Adapters do the same to what an engine gives.
Operands have distinct eigenvalues or singular values, since at equal ones there is no derivative. There is no row of
the eigenvectors of a matrix that is not symmetric: they are complex, and known but for a complex factor.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from conformance.op import SEPARATED, SYMMETRIC_SEPARATED, Inverse, Op, Shape
from conformance.ops import laws
from conformance.ops.dispatch import dispatched
from conformance.ops.factorings.elimination import needs_written_out
from conformance.ops.factorings.jacobi import eigenpairs, singular_triplets
from conformance.ops.products import transposed
from conformance.ops.rows import general
from conformance.ops.traits import SEVERAL_OUTPUTS, Homogeneous

WEIGHT = math.e - 2  # transcendental: no sum of few entries of simple vectors, so weighted, is 0

# -- references ------------------------------------------------------------------------------------


def sign_weights(n: int) -> Any:
    """The weights of a vector's n entries, whose sum is to be positive."""
    return 1 + WEIGHT * np.arange(n)


def signs(vectors: Any) -> Any:
    """For each column the factor, 1 or −1, that makes its weighted sum positive."""
    sums = np.sum(np.real(vectors) * sign_weights(np.shape(vectors)[-2])[:, None], axis=-2, keepdims=True)
    return np.where(sums < 0, -1, 1).astype(vectors.dtype)


def needs_jacobi(x: Any) -> bool:
    """Whether LAPACK lacks the precision, or a complex operand stands for an analytic function's."""
    return np.iscomplexobj(x) or needs_written_out(x)


def symmetric(x: Any) -> Any:
    """The symmetric part, so that every entry counts and the gradient is symmetric."""
    return (x + np.matrix_transpose(x)) / 2


@dispatched
def eigh(x: Any) -> tuple[Any, Any]:
    """The eigenvalues of (x + xᵀ)/2 in ascending order, and its eigenvectors as columns, their signs fixed."""
    w, v = eigenpairs(symmetric(x)) if needs_jacobi(x) else np.linalg.eigh(symmetric(x))
    return w, v * signs(v)


@dispatched
def eigvalsh(x: Any) -> Any:
    """The eigenvalues of (x + xᵀ)/2 in ascending order."""
    return eigenpairs(symmetric(x))[0] if needs_jacobi(x) else np.linalg.eigvalsh(symmetric(x))


@dispatched
def svd(x: Any) -> tuple[Any, Any, Any]:
    """U, the singular values in descending order, and Vᵀ, without the vectors of zeros; the signs of V are fixed."""
    u, s, vt = singular_triplets(x) if needs_jacobi(x) else np.linalg.svd(x, full_matrices=False)
    sign = signs(np.matrix_transpose(vt))
    return u * sign, s, vt * np.matrix_transpose(sign)


@dispatched
def svdvals(x: Any) -> Any:
    """The singular values in descending order."""
    return singular_triplets(x)[1] if needs_jacobi(x) else np.linalg.svd(x, compute_uv=False)


@dispatched
def pinv(x: Any) -> Any:
    """The Moore-Penrose inverse of each matrix of full rank."""
    if not needs_jacobi(x):
        return np.linalg.pinv(x)
    u, s, vt = singular_triplets(x)  # as libraries compute it: normal equations would round otherwise
    return (np.matrix_transpose(vt) / s[..., None, :]) @ np.matrix_transpose(u)


# -- rules -----------------------------------------------------------------------------------------


def inverse_gaps(values: Any) -> Any:
    """1/(λⱼ − λᵢ) at (i, j), 0 on the diagonal."""
    gaps = np.expand_dims(values, axis=-2) - np.expand_dims(values, axis=-1)
    diagonal = np.eye(np.shape(values)[-1], dtype=bool)
    return np.where(diagonal, 0, 1 / np.where(diagonal, 1, gaps))


def diagonal_of(values: Any) -> Any:
    """The diagonal matrix of each vector."""
    return np.expand_dims(values, axis=-2) * np.eye(np.shape(values)[-1], dtype=values.dtype)


def eigh_vjp(g: Any, z: Any, x: Any) -> Any:
    """sym(V (Λ̄ + F ∘ Vᵀ V̄) Vᵀ)."""
    (gw, gv), (w, v) = g, z
    middle = diagonal_of(gw) + inverse_gaps(w) * np.matmul(transposed(v), gv)
    whole = np.matmul(np.matmul(v, middle), transposed(v))
    return (whole + transposed(whole)) / 2


def eigvalsh_vjp(g: Any, z: Any, x: Any) -> Any:
    """V Λ̄ Vᵀ."""
    _, v = eigh(x)
    return np.matmul(v * np.expand_dims(g, axis=-2), transposed(v))


def svd_vjp(g: Any, z: Any, x: Any) -> Any:
    """U (J S + S K + S̄) Vᵀ + (1 − UUᵀ) Ū S⁻¹ Vᵀ + U S⁻¹ V̄ᵀ (1 − VVᵀ)."""
    (gu, gs, gvt), (u, s, vt) = g, z
    row, column = np.expand_dims(s, axis=-2), np.expand_dims(s, axis=-1)
    gaps = inverse_gaps(
        s
    )  # less the sum of the two, by which shares are taken: the square of a small number is lost
    ut, v = transposed(u), transposed(vt)
    of_u, of_v = np.matmul(ut, gu), np.matmul(gvt, v)
    left, right = gaps * (of_u - transposed(of_u)), gaps * (transposed(of_v) - of_v)
    share = row / (row + column)
    middle = left * share + transposed(share) * right + diagonal_of(gs)
    beyond_u = np.matmul((gu - np.matmul(u, of_u)) / row, vt)
    beyond_v = np.matmul(u, (gvt - np.matmul(of_v, vt)) / column)
    return np.matmul(np.matmul(u, middle), vt) + beyond_u + beyond_v


def svdvals_vjp(g: Any, z: Any, x: Any) -> Any:
    """U S̄ Vᵀ."""
    u, _, vt = svd(x)
    return np.matmul(u * np.expand_dims(g, axis=-2), vt)


def pinv_vjp(g: Any, z: Any, x: Any) -> Any:
    """−zᵀ g zᵀ + (1 − xz) gᵀ z zᵀ + zᵀ z gᵀ (1 − zx)."""
    zt, gt = transposed(z), transposed(g)
    tall, wide = np.matmul(np.matmul(gt, z), zt), np.matmul(np.matmul(zt, z), gt)
    beyond_rows = tall - np.matmul(x, np.matmul(z, tall))
    beyond_columns = wide - np.matmul(np.matmul(wide, z), x)
    return beyond_rows + beyond_columns - np.matmul(np.matmul(zt, g), zt)


def of_squares(shapes: Sequence[Shape], **parameters: Any) -> Mapping[str, Any] | None:
    """The parameters of the inverse's call, where operand and result have one shape, as the check needs."""
    return {} if shapes[0][-1] == shapes[0][-2] else None


# -- laws ------------------------------------------------------------------------------------------

SMALL: tuple[tuple[Shape], ...] = (
    *(((2, 2),), ((3, 3),), ((1, 1),), ((2, 3, 3),), ((3, 3, 3),), ((0, 2, 2),), ((4, 4),), ((5, 5),)),
    *(((2, 1, 2, 2),), ((1, 2, 1, 3, 3),), ((2, 1, 2, 1, 2, 2),), ((17, 2, 2),)),
    ((9, 9),),
)  # fmt: skip
TALL_AND_WIDE: tuple[tuple[Shape], ...] = (
    *(((3, 2),), ((2, 3),), ((3, 3),), ((1, 1),), ((3, 1),), ((1, 3),), ((2, 3, 2),), ((3, 2, 3),), ((4, 4),)),
    *(((0, 3, 2),), ((2, 5, 3),), ((2, 1, 2, 3),), ((1, 2, 1, 3, 2),), ((2, 1, 2, 1, 2, 2),), ((5, 2),)),
    *(((2, 7),), ((9, 3),), ((17, 2, 2),), ((3, 33),)),
)  # fmt: skip


# -- rows ------------------------------------------------------------------------------------------

ROWS: tuple[Op, ...] = (
    general("eigvalsh", eigvalsh, eigvalsh_vjp,
        formula="x̄ = V Λ̄ Vᵀ", source="Giles 2008, 3.1: dλₖ = vₖᵀ dA vₖ",
        domains=[SYMMETRIC_SEPARATED], law=laws.shapes_of(*SMALL), traits={Homogeneous(1)}),
    general("eigh", eigh, eigh_vjp,
        formula="x̄ = sym(V (Λ̄ + F ∘ Vᵀ V̄) Vᵀ), Fᵢⱼ = 1/(λⱼ − λᵢ)", source="Giles 2008, 3.1",
        domains=[SYMMETRIC_SEPARATED], law=laws.shapes_of(*SMALL),
        traits={SEVERAL_OUTPUTS, Homogeneous((1, 0))}),
    general("svdvals", svdvals, svdvals_vjp,
        formula="x̄ = U S̄ Vᵀ", source="Giles 2008, 3.2: dσₖ = uₖᵀ dA vₖ",
        domains=[SEPARATED], law=laws.shapes_of(*TALL_AND_WIDE), traits={Homogeneous(1)}),
    general("svd", svd, svd_vjp,
        formula="x̄ = U ((F ∘ [Uᵀ Ū]) S + S (F ∘ [Vᵀ V̄]) + S̄) Vᵀ + (1 − UUᵀ) Ū S⁻¹ Vᵀ + U S⁻¹ V̄ᵀ (1 − VVᵀ), "
        "[M] = M − Mᵀ, Fᵢⱼ = 1/(σⱼ² − σᵢ²)",
        source="Townsend 2016, eq. 29", domains=[SEPARATED], law=laws.shapes_of(*TALL_AND_WIDE),
        traits={SEVERAL_OUTPUTS, Homogeneous((0, 1, 0))}),
    general("pinv", pinv, pinv_vjp,
        formula="x̄ = −zᵀ g zᵀ + (1 − xz) gᵀ z zᵀ + zᵀ z gᵀ (1 − zx)",
        source="Golub and Pereyra 1973, eq. 4.12", domains=[SEPARATED], law=laws.shapes_of(*TALL_AND_WIDE),
        traits={Homogeneous(-1), Inverse("pinv", of_squares, is_exact=False)}),
)  # fmt: skip
