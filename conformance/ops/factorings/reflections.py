"""The first columns of a product of Householder reflections."""

from __future__ import annotations

from typing import Any

import numpy as np

from conformance.op import Op
from conformance.ops import laws
from conformance.ops.dispatch import dispatched
from conformance.ops.indexing import getitem
from conformance.ops.joining import stack
from conformance.ops.rows import general


def below(count: int, number: int, dtype: Any) -> tuple[Any, Any]:
    """Ones behind a place of a vector, and a one at it."""
    places = np.arange(count)
    return (places > number).astype(dtype), (places == number).astype(dtype)


def reflector(a: Any, tau: Any, number: int) -> tuple[Any, Any]:
    """A reflection's vector, a 1 and what is below the diagonal of its column, and its factor, both as columns."""
    behind, here = below(int(np.shape(a)[-2]), number, a.dtype)
    column = getitem(a, index=(..., slice(None), number))
    factor = getitem(tau, index=(..., slice(number, number + 1)))
    return np.expand_dims(column * behind + here, axis=-1), np.expand_dims(factor, axis=-1)


def transposed(x: Any) -> Any:
    """Each matrix transposed."""
    return np.swapaxes(x, axis1=-1, axis2=-2)


def reflected(v: Any, factor: Any, x: Any) -> Any:
    """x − τ v vᵀ x."""
    return x - factor * v * np.matmul(transposed(v), x)


def partial_products(a: Any, tau: Any) -> list[Any]:
    """The products from each reflection on, first that of all, last the columns of the identity."""
    *batch, count, width = np.shape(a)
    products = [np.broadcast_to(np.eye(count, width, dtype=a.dtype), shape=(*batch, count, width))]
    for number in reversed(range(np.shape(tau)[-1])):
        products.insert(0, reflected(*reflector(a, tau, number), products[0]))
    return products


@dispatched
def householder_product(a: Any, tau: Any) -> Any:
    """The first columns of H₁ H₂ …, Hᵢ = I − τᵢ vᵢ vᵢᵀ, vᵢ being 1 at i and column i of `a` below it."""
    return np.array(partial_products(a, tau)[0])


def cotangents(g: Any, a: Any, tau: Any) -> tuple[Any, Any]:
    """The cotangents of both operands."""
    later = partial_products(a, tau)[1:]
    columns, factors = [], []
    for number, product in enumerate(later):
        v, factor = reflector(a, tau, number)
        first, second = np.matmul(transposed(g), v), np.matmul(transposed(product), v)
        pulled = -factor * (np.matmul(g, second) + np.matmul(product, first))
        behind, _ = below(int(np.shape(a)[-2]), number, a.dtype)
        columns.append(getitem(pulled, index=(..., 0)) * behind)
        factors.append(-np.sum(getitem(first * second, index=(..., 0)), axis=-1))
        g = reflected(v, factor, g)
    columns += [0 * getitem(a, index=(..., 0))] * (int(np.shape(a)[-1]) - len(columns))
    return stack(*columns, axis=-1), stack(*factors, axis=-1)


PRODUCTS = laws.shapes_of(
    *(((3, 2), (2,)), ((3, 3), (3,)), ((3, 3), (2,)), ((4, 2), (1,)), ((1, 1), (1,)), ((2, 3, 2), (2, 2)), ((3, 3, 3), (3, 3))),
    *(((2, 1, 4, 3), (2, 1, 2)), ((0, 3, 2), (0, 2)), ((5, 1), (1,)), ((17, 2), (2,)), ((9, 8), (3,)), ((33, 1), (1,))),
)  # fmt: skip

ROWS: tuple[Op, ...] = (
    general("householder_product", householder_product,
        lambda g, z, a, tau: cotangents(g, a, tau)[0], lambda g, z, a, tau: cotangents(g, a, tau)[1],
        formula="τ̄ᵢ = −vᵀ M v, v̄ᵢ = −τ (M + Mᵀ) v, M = gᵢ Sᵢᵀ, Sᵢ = Hᵢ₊₁ …, gᵢ₊₁ = Hᵢ gᵢ",
        source="Golub and Van Loan 2013, section 5.1.6; product rule", law=PRODUCTS),
)  # fmt: skip
