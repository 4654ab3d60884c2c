"""Limits that layers put on entries, and on the lengths of slices."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from conformance.op import UNIT, Choose, Domain, Op, OperandKind, Shape, Signature
from conformance.ops import laws
from conformance.ops.dispatch import dispatched
from conformance.ops.layers import standardised, standardised_vjp
from conformance.ops.reductions import norm_of, vector_norm_vjp
from conformance.ops.rows import elementwise, general, size_of
from conformance.ops.traits import ORDER_EQUIVARIANT, PIECEWISE_LINEAR, Shift

# -- of entries --------------------------------------------------------------------------------------


@dispatched
def threshold(x: Any, *, threshold: float, value: float) -> Any:
    """x above the threshold, elsewhere the value."""
    return np.where(x > threshold, x, value)


def thresholds(choose: Choose) -> Signature:
    """One operand, the threshold, at which the function jumps, and the value."""
    parameters = {"threshold": choose((0.0, 0.5, -1.3, 2.0)), "value": choose((0.0, 20.0, -1.3))}
    return Signature((choose(laws.SHAPES),), parameters, domains=(Domain(kinks=(parameters["threshold"],)),))


# -- of slices ---------------------------------------------------------------------------------------

BESIDE = 1e-7  # what is added to a length, so that the slice ends up shorter than the limit


def slice_lengths(x: Any, p: float, axis: int) -> tuple[Any, tuple[int, ...]]:
    """The p-norm of every slice at a place of the axis, and the axes of a slice."""
    axes = tuple(a for a in range(np.ndim(x)) if a != axis % np.ndim(x))
    size = size_of(x)
    return np.max(size, axis=axes, keepdims=True) if math.isinf(p) else norm_of(size, axes, p), axes


@dispatched
def renorm(x: Any, *, p: float, axis: int, maxnorm: float) -> Any:
    """Each slice at a place of the axis scaled to the largest norm allowed where it is longer."""
    length, _ = slice_lengths(x, p, axis)
    return np.where(length > maxnorm, x * (maxnorm / (length + BESIDE)), x)


def renorm_vjp(g: Any, z: Any, x: Any, p: float, axis: int, maxnorm: float) -> Any:
    """s g, s = m/(n + ε), less the norm's rule of s Σ g x/(n + ε); g where nothing is scaled."""
    length, axes = slice_lengths(x, p, axis)
    scale = maxnorm / (length + BESIDE)
    along = scale * np.sum(g * x, axis=axes, keepdims=True) / (length + BESIDE)
    scaled = scale * g - vector_norm_vjp(along, length, x, axis=axes, ord=p, keepdims=True)
    return np.where(np.real(length) > maxnorm, scaled, g)


SLICED: tuple[Shape, ...] = (
    *((2, 3), (3, 3), (3, 1), (1, 3), (2, 3, 2), (3, 3, 3), (2, 1, 3, 2), (1, 2, 1, 3, 2), (5, 7), (2, 33)),
    *((17, 2), (7, 2, 3), (66, 2)),
)  # fmt: skip
# The limit, and entries of slices that are all longer, all shorter, or both: then the largest entry decides.
LONG, BELOW, BESIDE_1 = (
    Domain(low=1.0, high=3.0),
    Domain(low=-3.0, high=-1.0),
    Domain(low=-3.0, high=3.0, kinks=(-1.0, 0.0, 1.0), kind=OperandKind.DISTINCT),
)
LIMITS = (
    (2.0, 0.5, LONG),
    (1.0, 0.5, BELOW),
    (3.0, 0.7, LONG),
    (2.0, 1000.0, UNIT),
    (math.inf, 1.0, BESIDE_1),
)


def renormed(choose: Choose) -> Signature:
    """An array of at least two axes, one of them, the norm, and the largest allowed."""
    shape, (p, maxnorm, domain) = choose(SLICED), choose(LIMITS)
    axis = choose((*range(len(shape)), *range(-len(shape), 0)))
    return Signature((shape,), {"p": p, "axis": axis, "maxnorm": maxnorm}, domains=(domain,))


# -- of means and variances --------------------------------------------------------------------------


@dispatched
def standardize(x: Any, *, axis: tuple[int, ...], eps: float) -> Any:
    """The last axes at mean 0 and variance 1."""
    return standardised(x, axis, eps)[0]


def standardizing(choose: Choose) -> Signature:
    """One operand, its last axis or more of them, and what is added to the variance."""
    shape = choose(
        (
            (2, 3),
            (3,),
            (3, 3),
            (2, 3, 3),
            (4, 2),
            (2, 1, 3, 2),
            (1, 2, 1, 3, 2),
            (7, 8),
            (2, 33),
            (2, 129),
            (1, 1025),
        )
    )
    axis = choose([tuple(range(-count, 0)) for count in (1, 2, 3) if count <= len(shape)])
    return Signature((shape,), {"axis": axis, "eps": choose((1e-5, 0.1, 1.0))})


ROWS: tuple[Op, ...] = (
    general("renorm", renorm, renorm_vjp,
        formula="x̄ = s g − s/(n + ε) Σ g x · sign x (|x|/n)ᵖ⁻¹, s = m/(n + ε), where the norm n exceeds m, else g",
        source="quotient rule and vector_norm's", domains=[LONG], law=renormed, traits={ORDER_EQUIVARIANT}),
    general("standardize", standardize, lambda g, z, x, axis, eps: standardised_vjp(g, x, axis, eps),
        formula="x̄ = (g − mean g − z mean(g z))/σ", source="layer_norm's rule without weight and bias",
        law=standardizing, traits={Shift(0), ORDER_EQUIVARIANT}),
)  # fmt: skip
THRESHOLD = elementwise("threshold", threshold, lambda z, x, threshold, value: np.where(x > threshold, 1, 0),
    formula="x̄ = g where x > threshold, else 0", source="the slope of x, and of a constant",
    law=thresholds, traits={PIECEWISE_LINEAR})  # fmt: skip
