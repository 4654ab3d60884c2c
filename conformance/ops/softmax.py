"""Activations along an axis."""

from __future__ import annotations

from typing import Any

import numpy as np

from conformance.op import Choose, Op, Signature
from conformance.ops import laws
from conformance.ops.activations import sigmoid
from conformance.ops.dispatch import dispatched
from conformance.ops.joining import concat, split
from conformance.ops.rows import general
from conformance.ops.traits import HOLOMORPHIC, ORDER_EQUIVARIANT, Shift

# -- references ------------------------------------------------------------------------------------


@dispatched
def softmax(x: Any, *, axis: int) -> Any:
    """eˣ over its sum along `axis`, shifted by the largest real part."""
    exponentials = np.exp(x - np.max(np.real(x), axis=axis, keepdims=True))
    return exponentials / np.sum(exponentials, axis=axis, keepdims=True)


@dispatched
def softmin(x: Any, *, axis: int) -> Any:
    """softmax of −x."""
    return softmax(-x, axis=axis)


@dispatched
def log_softmax(x: Any, *, axis: int) -> Any:
    """log softmax, shifted by the largest real part."""
    shifted = x - np.max(np.real(x), axis=axis, keepdims=True)
    return shifted - np.log(np.sum(np.exp(shifted), axis=axis, keepdims=True))


@dispatched
def glu(x: Any, *, axis: int) -> Any:
    """The first half along `axis` times the sigmoid of the second."""
    a, b = np.split(x, 2, axis=axis)
    return a * sigmoid(b)


# -- rules too long for a table --------------------------------------------------------------------


def glu_vjp(g: Any, z: Any, x: Any, axis: int) -> Any:
    """The halves' cotangents, g σ(b) and g a σ(b)(1 − σ(b)), joined again."""
    a, b = split(x, indices_or_sections=2, axis=axis)
    s = sigmoid(b)
    return concat(g * s, g * a * s * (1 - s), axis=axis)


# -- laws ------------------------------------------------------------------------------------------


def halving(choose: Choose) -> Signature:
    """One operand, and one of its axes of even size, by either sign."""
    ranks = ((2, 1, 4, 2), (1, 2, 1, 3, 2), (2, 1, 2, 3, 1, 4), (4, 1))
    shape = choose(
        ((4,), (2, 3), (3, 4), (4, 4), (2, 2, 2), (2,), (0, 2), (2, 0), *ranks, (16,), (34,), (2, 66), (130,))
    )
    return Signature(
        (shape,), {"axis": choose([a for a in range(-len(shape), len(shape)) if shape[a] % 2 == 0])}
    )


# -- rows ------------------------------------------------------------------------------------------

ROWS: tuple[Op, ...] = (
    general("softmax", softmax, lambda g, z, x, axis: z * (g - np.sum(g * z, axis=axis, keepdims=True)),
        formula="x̄ = z · (g − Σ g z)", source="∂zᵢ/∂xⱼ = zᵢ(δᵢⱼ − zⱼ)", law=laws.along_one_full_axis,
        traits={HOLOMORPHIC, Shift(0), ORDER_EQUIVARIANT}),
    general("softmin", softmin, lambda g, z, x, axis: z * (np.sum(g * z, axis=axis, keepdims=True) - g),
        formula="x̄ = z · (Σ g z − g)", source="softmax's rule for −x", law=laws.along_one_full_axis,
        traits={HOLOMORPHIC, Shift(0), ORDER_EQUIVARIANT}),
    general("log_softmax", log_softmax,
        lambda g, z, x, axis: g - np.exp(z) * g.sum(axis=axis, keepdims=True),
        formula="x̄ = g − eᶻ Σ g", source="∂zᵢ/∂xⱼ = δᵢⱼ − eᶻʲ", law=laws.along_one_full_axis,
        traits={HOLOMORPHIC, Shift(0), ORDER_EQUIVARIANT}),
    general("glu", glu, glu_vjp,
        formula="ā = g σ(b), b̄ = g a σ(b)(1 − σ(b))", source="Dauphin et al. 2017, eq. 1; product rule",
        law=halving),
)  # fmt: skip
