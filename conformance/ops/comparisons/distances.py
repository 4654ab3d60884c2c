"""Distances and angles of vectors."""

from __future__ import annotations

from typing import Any

import numpy as np

from conformance.op import DISTINCT, NONZERO, Choose, Op, Signature
from conformance.ops import laws
from conformance.ops.dispatch import dispatched
from conformance.ops.indexing import getitem, scatter_add
from conformance.ops.reductions import vector_norm_vjp
from conformance.ops.rows import general, unbroadcast
from conformance.ops.traits import Homogeneous, Shift

# -- distances -------------------------------------------------------------------------------------


def differences(x: Any, y: Any) -> Any:
    """Each row of x less each row of y: (…, P, R, M)."""
    return np.expand_dims(x, axis=-2) - np.expand_dims(y, axis=-3)


@dispatched
def cdist(x: Any, y: Any, *, p: float) -> Any:
    """The p-norm of the difference of every row of x and every row of y."""
    return np.linalg.vector_norm(differences(x, y), axis=-1, ord=p)


def cdist_left(g: Any, z: Any, x: Any, y: Any, p: float) -> Any:
    """The norm's rule on the differences, summed over the rows of y."""
    pulled = vector_norm_vjp(g, z, differences(x, y), axis=-1, ord=p)
    return unbroadcast(np.sum(pulled, axis=-2), np.shape(x))


def cdist_right(g: Any, z: Any, x: Any, y: Any, p: float) -> Any:
    """The same, negated, summed over the rows of x."""
    pulled = vector_norm_vjp(g, z, differences(x, y), axis=-1, ord=p)
    return unbroadcast(-np.sum(pulled, axis=-3), np.shape(y))


def pairs_of(count: int) -> tuple[Any, Any]:
    """The numbers of both rows of each pair, the first before the second."""
    first, second = np.triu_indices(count, 1)
    return first, second


@dispatched
def pdist(x: Any, *, p: float) -> Any:
    """The p-norm of the difference of every two rows, as a vector."""
    first, second = pairs_of(np.shape(x)[0])
    return np.linalg.vector_norm(x[first] - x[second], axis=-1, ord=p)


def pdist_vjp(g: Any, z: Any, x: Any, p: float) -> Any:
    """The norm's rule on the differences, added to the first row of each pair and taken from the second."""
    first, second = pairs_of(np.shape(x)[0])
    each = getitem(x, index=(first,)) - getitem(x, index=(second,))
    pulled = vector_norm_vjp(g, z, each, axis=-1, ord=p)
    rows = np.concatenate([first, second])
    return scatter_add(np.concatenate([pulled, -pulled]), index=(rows,), shape=np.shape(x))


# -- angles ----------------------------------------------------------------------------------------


def direction(x: Any, axis: int) -> tuple[Any, Any]:
    """x over its norm along an axis, and the norm."""
    norm = np.sqrt(np.sum(x * x, axis=axis, keepdims=True))
    return x / norm, norm


@dispatched
def cosine_similarity(x: Any, y: Any, *, axis: int) -> Any:
    """The cosine of the angle of two vectors along an axis."""
    return np.sum(direction(x, axis)[0] * direction(y, axis)[0], axis=axis)


def cosine_vjp(g: Any, z: Any, x: Any, y: Any, axis: int) -> Any:
    """g (ŷ − z x̂)/|x|."""
    (unit, norm), (other, _) = direction(x, axis), direction(y, axis)
    whole = np.expand_dims(g, axis=axis) * (other - np.expand_dims(z, axis=axis) * unit) / norm
    return unbroadcast(whole, np.shape(x))


# -- laws ------------------------------------------------------------------------------------------

PAIRS = laws.shapes_of(
    *(((2, 3), (4, 3)), ((3, 3), (3, 3)), ((1, 2), (3, 2)), ((2, 2), (1, 2)), ((1, 1), (1, 1)), ((2, 1), (3, 1))),
    *(((2, 2, 3), (2, 3, 3)), ((2, 2, 3), (3, 3)), ((2, 3), (2, 4, 3)), ((2, 1, 2, 2), (3, 2, 2)), ((0, 3), (2, 3))),
    *(((1, 2, 2), (2, 3, 2)), ((2, 1, 2, 1, 2), (1, 2, 2, 2)), ((3, 5), (2, 5)), ((2, 17), (3, 17)), ((9, 2), (8, 2))),
    *(((27, 2), (2, 2)), ((2, 3), (33, 3)), ((2, 129), (1, 129)), ((33, 3), (33, 3))),
    p=(2.0, 1.0, float("inf"), 3.0, 1.7),
)  # fmt: skip


AMONG = laws.shapes_of(
    *(((3, 2),), ((3, 3),), ((2, 3),), ((4, 1),), ((1, 2),), ((5, 7),), ((2, 17),), ((17, 2),), ((2, 129),), ((33, 3),)),
    p=(2.0, 1.0, float("inf"), 3.0, 1.7),
)  # fmt: skip


def angles(choose: Choose) -> Signature:
    """Two operands of one shape, or that broadcast, and the axis of the vectors."""
    shapes = choose(
        (
            *(((2, 3), (2, 3)), ((3, 3), (3, 3)), ((3,), (3,)), ((2,), (2,)), ((2, 3, 2), (2, 3, 2))),
            *(((0, 3), (0, 3)), ((2, 1, 3, 2), (2, 1, 3, 2)), ((1, 2, 2, 3, 2), (1, 2, 2, 3, 2))),
            *(
                ((1, 3), (2, 3)),
                ((2, 3), (1, 3)),
                ((2, 1, 3), (1, 2, 3)),
                ((5, 7), (5, 7)),
                ((2, 33), (2, 33)),
            ),
            *(((129,), (129,)), ((17, 2), (17, 2)), ((3, 1), (3, 1))),
        )
    )
    axes = [a for a in range(-len(shapes[0]), len(shapes[0])) if min(shape[a] for shape in shapes) > 1]
    return Signature(shapes, {"axis": choose(sorted(axes, key=lambda a: a != -1))})


# -- rows ------------------------------------------------------------------------------------------

ROWS: tuple[Op, ...] = (
    general("cdist", cdist, cdist_left, cdist_right,
        formula="x̄ᵢ = Σⱼ gᵢⱼ sign dᵢⱼ (|dᵢⱼ|/zᵢⱼ)ᵖ⁻¹, ȳⱼ the same negated, summed over i",
        source="vector_norm's rule on d = xᵢ − yⱼ", domains=[DISTINCT, DISTINCT], law=PAIRS,
        traits={Homogeneous(1, of=(0, 1)), Shift(0, of=(0, 1))}),
    general("pdist", pdist, pdist_vjp,
        formula="x̄ᵢ = Σⱼ gᵢⱼ sign dᵢⱼ (|dᵢⱼ|/zᵢⱼ)ᵖ⁻¹", source="vector_norm's rule on d = xᵢ − xⱼ",
        domains=[DISTINCT], law=AMONG, traits={Homogeneous(1)}),
    general("cosine_similarity", cosine_similarity, cosine_vjp,
        lambda g, z, x, y, axis: cosine_vjp(g, z, y, x, axis),
        formula="x̄ = g (ŷ − z x̂)/|x|", source="vector_norm's rule and the quotient rule; symmetric in x and y",
        domains=[NONZERO, NONZERO], law=angles),
)  # fmt: skip
