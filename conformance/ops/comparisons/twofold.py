"""Reductions with two results: the variance or the standard deviation beside the mean, the smallest entry beside the largest."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from conformance.op import DISTINCT, Choose, Op, Signature
from conformance.ops import laws
from conformance.ops.dispatch import dispatched
from conformance.ops.reductions import SPREAD, corrected, count, routed, spread, std_vjp, var_vjp
from conformance.ops.rows import general
from conformance.ops.traits import (
    PIECEWISE_LINEAR,
    QUADRATIC,
    REAL_REFERENCE,
    REDUCTION,
    SEVERAL_OUTPUTS,
    Homogeneous,
)

Pair = tuple[Any, Any]


@dispatched
def var_mean(x: Any, *, axis: Any = None, keepdims: bool = False, correction: float = 0) -> Pair:
    """The variance, and the mean."""
    return np.var(x, axis=axis, keepdims=keepdims, correction=correction), np.mean(
        x, axis=axis, keepdims=keepdims
    )


@dispatched
def std_mean(x: Any, *, axis: Any = None, keepdims: bool = False, correction: float = 0) -> Pair:
    """The standard deviation, and the mean."""
    return np.std(x, axis=axis, keepdims=keepdims, correction=correction), np.mean(
        x, axis=axis, keepdims=keepdims
    )


@dispatched
def aminmax(x: Any, *, axis: int | None = None, keepdims: bool = False) -> Pair:
    """The smallest entry, and the largest."""
    return np.min(x, axis=axis, keepdims=keepdims), np.max(x, axis=axis, keepdims=keepdims)


def beside_the_mean(of_the_spread: Callable[..., Any]) -> Callable[..., Any]:
    """The rule of the first result on its cotangent, and the mean's on its own."""

    def vjp(g: Pair, z: Pair, x: Any, axis: Any = None, keepdims: bool = False, correction: float = 0) -> Any:
        first = of_the_spread(g[0], z[0], x, axis, keepdims, correction)
        return first + spread(g[1], x, axis) / count(x, axis)

    return vjp


def aminmax_vjp(g: Pair, z: Pair, x: Any, axis: int | None = None, keepdims: bool = False) -> Any:
    """The minimum's rule on the first cotangent, and the maximum's on the second."""
    return routed(g[0], z[0], x, axis) + routed(g[1], z[1], x, axis)


# An engine that updates the mean by each entry (Welford 1962) loses more of long rows than the sums that show what rounding
# is allowed: those of entries on a grid are exact.
FEW = (*laws.up_to(66, SPREAD), (64,), (65,))


def of_few(choose: Choose) -> Signature:
    """A reduction of few entries, more than the correction takes off their number."""
    return corrected(choose, FEW)


def along_one_or_all(choose: Choose) -> Signature:
    """One operand with entries, one axis of it or all, and `keepdims`."""
    shape = choose([s for s in (*laws.SHAPES, *laws.LONG_ROWS) if 0 not in s])
    axis = choose((None, *range(len(shape)), *range(-len(shape), 0)))
    return Signature((shape,), {"axis": axis, "keepdims": choose((False, True))})


ROWS: tuple[Op, ...] = (
    general("var_mean", var_mean, beside_the_mean(var_vjp),
        formula="x̄ᵢ = g · 2(xᵢ − μ)/(n − correction) + h/n", source="var's rule and the mean's",
        law=of_few, traits={SEVERAL_OUTPUTS, QUADRATIC, REDUCTION}),
    general("std_mean", std_mean, beside_the_mean(std_vjp),
        formula="x̄ᵢ = g · (xᵢ − μ)/(z (n − correction)) + h/n", source="std's rule and the mean's",
        domains=[DISTINCT], law=of_few,
        traits={SEVERAL_OUTPUTS, REDUCTION, REAL_REFERENCE, Homogeneous(1)}),
    general("aminmax", aminmax, aminmax_vjp,
        formula="x̄ᵢ = g where xᵢ is smallest, plus h where it is largest, else 0",
        source="min's rule and max's; ties share equally", domains=[DISTINCT], law=along_one_or_all,
        traits={SEVERAL_OUTPUTS, PIECEWISE_LINEAR, Homogeneous(1)}),
)  # fmt: skip
