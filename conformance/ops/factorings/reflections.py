"""Products of reflections, each given by a vector and a factor: as many columns of I − τ v vᵀ, one times the next."""

from __future__ import annotations

from typing import Any

import numpy as np

from conformance.op import Op
from conformance.ops import laws
from conformance.ops.dispatch import dispatched
from conformance.ops.indexing import getitem
from conformance.ops.joining import stack
from conformance.ops.products import transposed
from conformance.ops.rows import general
from conformance.ops.traits import HOLOMORPHIC


def reflectors(x: Any, count: int) -> list[Any]:
    """The vectors, as columns (…, m, 1): zeros, a one on the diagonal, and what is below it."""
    rows = np.shape(x)[-2]
    below = [getitem(x, index=(Ellipsis, slice(None), slice(i, i + 1))) for i in range(count)]
    one = np.eye(rows)
    return [
        np.where(np.arange(rows)[:, None] > i, v, 0) + one[:, i : i + 1].astype(x.dtype)
        for i, v in enumerate(below)
    ]


def reflected(v: Any, factor: Any, x: Any) -> Any:
    """(I − τ v vᵀ) x."""
    return x - factor * np.matmul(v, np.matmul(transposed(v), x))


def factors_of(tau: Any) -> list[Any]:
    """The factors, to multiply matrices by (…, 1, 1)."""
    return [getitem(tau, index=(Ellipsis, slice(i, i + 1), None)) for i in range(np.shape(tau)[-1])]


def behind(x: Any, tau: Any) -> list[Any]:
    """Of each reflection and those behind it the product with the first columns of I, and these columns."""
    *batch, rows, columns = np.shape(x)
    eye = np.broadcast_to(np.eye(rows, columns).astype(x.dtype), shape=(*batch, rows, columns))
    products, factors = [eye], factors_of(tau)
    for v, factor in reversed([*zip(reflectors(x, len(factors)), factors, strict=True)]):
        products.append(reflected(v, factor, products[-1]))
    return products[::-1]


@dispatched
def householder_product(x: Any, tau: Any) -> Any:
    """The first columns of the product of the reflections I − τᵢ vᵢ vᵢᵀ, as many as x has; vᵢ is below the diagonal of x, where is 1."""
    return behind(x, tau)[0] + 0


def both(g: Any, x: Any, tau: Any) -> tuple[list[Any], list[Any]]:
    """The cotangents of vectors and of factors: with X = the product behind a reflection and G its cotangent,
    v̄ = −τ (G Xᵀ v + X Gᵀ v), τ̄ = −vᵀ G Xᵀ v.
    """
    factors = factors_of(tau)
    vectors, products = reflectors(x, len(factors)), behind(x, tau)
    of_vectors, of_factors = [], []
    for v, factor, right in zip(vectors, factors, products[1:], strict=True):
        onto_right, onto_g = np.matmul(transposed(right), v), np.matmul(transposed(g), v)
        of_vectors.append(-factor * (np.matmul(g, onto_right) + np.matmul(right, onto_g)))
        of_factors.append(-np.sum(onto_g * onto_right, axis=(-2, -1)))
        g = reflected(v, factor, g)
    return of_vectors, of_factors


def householder_vectors(g: Any, z: Any, x: Any, tau: Any) -> Any:
    """The vectors' cotangents below the diagonal, 0 elsewhere and in columns without a factor."""
    *batch, rows, columns = np.shape(x)
    of_vectors, _ = both(g, x, tau)
    none = [np.zeros((*batch, rows, 1), x.dtype)] * (columns - len(of_vectors))
    whole = np.concatenate([*of_vectors, *none], axis=-1) if columns else np.zeros(np.shape(x), x.dtype)
    return np.tril(whole, k=-1)


def householder_factors(g: Any, z: Any, x: Any, tau: Any) -> Any:
    """The factors' cotangents."""
    _, of_factors = both(g, x, tau)
    return stack(*of_factors, axis=-1)


# Tall matrices, and as many factors as columns or fewer.
PRODUCTS = laws.shapes_of(
    *(((3, 2), (2,)), ((3, 3), (3,)), ((3, 3), (2,)), ((2, 2), (1,)), ((1, 1), (1,)), ((2, 3, 2), (2, 2))),
    *(((3, 3, 3), (3, 3)), ((5, 3), (3,)), ((2, 1, 3, 2), (2, 1, 1)), ((3, 1), (1,)), ((8, 8), (8,)), ((17, 2), (2,))),
    *(((0, 3, 2), (0, 2)), ((7, 3, 2), (7, 2)), ((9, 5), (4,))),
)  # fmt: skip

ROWS: tuple[Op, ...] = (
    general("householder_product", householder_product, householder_vectors, householder_factors,
        formula="v̄ᵢ = −τᵢ (G Xᵀ + X Gᵀ) vᵢ, τ̄ᵢ = −vᵢᵀ G Xᵀ vᵢ, X the product behind i, G = Hᵢ₋₁ … H₁ g",
        source="product rule on H₁ H₂ … I, Hᵢ = I − τᵢ vᵢ vᵢᵀ", law=PRODUCTS, traits={HOLOMORPHIC}),
)  # fmt: skip
