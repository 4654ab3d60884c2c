"""Layers and measures of pairs of vectors: the bilinear map, distances row by row; and vectors of length 1."""

from __future__ import annotations

from typing import Any

import numpy as np

from conformance.op import DISTINCT, NONZERO, REAL, Choose, Domain, Op, Shape, Signature
from conformance.ops import laws
from conformance.ops.dispatch import dispatched
from conformance.ops.products import einsum_vjp
from conformance.ops.reductions import norm_of, vector_norm_vjp
from conformance.ops.rows import general, size_of, unbroadcast
from conformance.ops.traits import HOLOMORPHIC, ORDER_EQUIVARIANT, Homogeneous, Shift

# -- the bilinear map --------------------------------------------------------------------------------

FORMS = "...i,oij,...j->...o"


@dispatched
def bilinear(x: Any, y: Any, weight: Any, bias: Any) -> Any:
    """xᵀ W y + b, with a matrix W and a number b for each entry of the result."""
    return np.einsum(FORMS, x, weight, y) + bias


def bilinear_from(factor: int) -> Any:
    """The rule for a factor of the product: x, the weight, y."""
    return lambda g, z, x, y, weight, bias: einsum_vjp(factor, g, z, x, weight, y, subscripts=FORMS)


# -- distances row by row ----------------------------------------------------------------------------


@dispatched
def pairwise_distance(x: Any, y: Any, *, p: float, eps: float, keepdims: bool) -> Any:
    """The p-norm of x − y + ε along the last axis."""
    return np.linalg.vector_norm(x - y + eps, axis=-1, ord=p, keepdims=keepdims)


def pairwise_distance_vjp(g: Any, z: Any, x: Any, y: Any, p: float, eps: float, keepdims: bool) -> Any:
    """The norm's rule on the difference."""
    return vector_norm_vjp(g, z, x - y + eps, axis=-1, ord=p, keepdims=keepdims)


# -- vectors of length 1 -----------------------------------------------------------------------------


def lengths(x: Any, p: float, axis: int, eps: float) -> tuple[Any, Any]:
    """The norms of the vectors along an axis, at least ε; and whether each is less."""
    norm = norm_of(size_of(x), axis, p) if x.dtype.kind == "c" else norm_of(x, axis, p)
    is_less = np.real(norm) < eps
    return np.where(is_less, eps, norm).astype(x.dtype), is_less


@dispatched
def normalize(x: Any, *, p: float, axis: int, eps: float) -> Any:
    """Each vector along an axis over its p-norm, or over ε where the norm is less."""
    return x / lengths(x, p, axis, eps)[0]


def normalize_vjp(g: Any, z: Any, x: Any, p: float, axis: int, eps: float) -> Any:
    """g/n, less the norm's rule of Σ g z/n but where that is less than ε."""
    length, is_less = lengths(x, p, axis, eps)
    along = np.where(is_less, 0, np.sum(g * z, axis=axis, keepdims=True) / length)
    return g / length - vector_norm_vjp(along, length, x, axis=axis, ord=p, keepdims=True)


# -- laws and rows -----------------------------------------------------------------------------------

# Batches, the sizes of both vectors, and that of the result.
FACTORS: tuple[tuple[Shape, int, int, int], ...] = (
    *(((2,), 3, 2, 2), ((3,), 3, 3, 3), ((1,), 2, 3, 1), ((2, 3), 2, 2, 3), ((0,), 2, 3, 2), ((7,), 1, 2, 2)),
    *(((2, 1, 3), 2, 3, 1), ((2,), 17, 2, 1), ((2,), 1, 3, 17), ((33,), 2, 1, 2), ((3, 3), 3, 3, 3), ((1,), 1, 1, 1)),
)  # fmt: skip
BILINEAR = laws.shapes_of(*(((*b, n), (*b, m), (o, n, m), (o,)) for b, n, m, o in FACTORS))
ROWS_OF_TWO = laws.shapes_of(
    *(((2, 3), (2, 3)), ((3, 3), (3, 3)), ((3,), (2, 3)), ((2, 3), (1, 3)), ((3,), (3,)), ((2, 1), (2, 1))),
    *(((0, 3), (0, 3)), ((2, 3, 2), (2, 3, 2)), ((2, 1, 2, 3), (2, 3)), ((7, 2), (7, 2)), ((2, 33), (2, 33))),
    *(((129,), (129,)), ((17, 2), (1, 2)), ((1, 3), (1, 3))),
    p=(2.0, 1.0, 3.0, 1.7), eps=(1e-6, 0.0), keepdims=(False, True),
)  # fmt: skip
VECTORS: tuple[Shape, ...] = (
    *((2, 3), (3, 3), (3,), (2, 3, 2), (0, 3), (2, 1, 3, 2), (1, 2, 1, 3, 2), (5, 7), (2, 33), (129,), (17, 2), (3, 1)),
)  # fmt: skip
SHORT = Domain(low=-1.0, high=1.0, kinks=(0.0,))  # vectors that are shorter than the larger ε


def normalizing(choose: Choose) -> Signature:
    """One operand, an axis of several entries, the norm, and an ε that all norms exceed or none."""
    shape, p = choose(VECTORS), choose((2.0, 1.0, 3.0, 1.7))
    axis = choose([a for a in (-1, *range(len(shape)), *range(-len(shape), -1)) if shape[a] > 1])
    eps, domain = choose(((1e-12, NONZERO), (1000.0, SHORT)))
    return Signature((shape,), {"p": p, "axis": axis, "eps": eps}, domains=(domain,))


ROWS: tuple[Op, ...] = (
    general("bilinear", bilinear, bilinear_from(0), bilinear_from(2), bilinear_from(1),
        lambda g, z, x, y, weight, bias: unbroadcast(g, np.shape(bias)),
        formula="x̄ = Σₒ gₒ Wₒ y, ȳ = Σₒ gₒ Wₒᵀ x, W̄ₒ = Σ gₒ x yᵀ, b̄ = Σ g",
        source="multilinear; the cotangent of a factor contracts g with all the others",
        domains=[REAL, REAL, REAL, REAL], law=BILINEAR,
        traits={HOLOMORPHIC, Homogeneous(1, of=(0, 3)), Homogeneous(1, of=(1, 3)), Homogeneous(1, of=(2, 3))}),
    general("pairwise_distance", pairwise_distance,
        lambda g, z, x, y, **given: unbroadcast(pairwise_distance_vjp(g, z, x, y, **given), np.shape(x)),
        lambda g, z, x, y, **given: unbroadcast(-pairwise_distance_vjp(g, z, x, y, **given), np.shape(y)),
        formula="x̄ = g sign d (|d|/z)ᵖ⁻¹, ȳ = −x̄, d = x − y + ε", source="vector_norm's rule on the difference",
        domains=[DISTINCT, DISTINCT], law=ROWS_OF_TWO, traits={Shift(0, of=(0, 1))}),
    general("normalize", normalize, normalize_vjp,
        formula="x̄ = (g − Σ g z · sign x (|x|/n)ᵖ⁻¹)/n, n the norm; g/ε where that is less than ε",
        source="quotient rule and vector_norm's", domains=[NONZERO], law=normalizing,
        traits={ORDER_EQUIVARIANT}),
)  # fmt: skip
