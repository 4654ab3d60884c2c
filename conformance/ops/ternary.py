"""Elementwise ops of three operands."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from conformance.op import BOOLEAN, DISTINCT, NONZERO, REAL, Choose, Op, Signature
from conformance.ops import laws
from conformance.ops.dispatch import dispatched
from conformance.ops.rows import elementwise, general, unbroadcast
from conformance.ops.traits import ELEMENTWISE, HOLOMORPHIC, PIECEWISE_LINEAR, QUADRATIC, Homogeneous, Shift

# -- references NumPy lacks ------------------------------------------------------------------------


@dispatched
def lerp(start: Any, end: Any, weight: Any) -> Any:
    """The point that divides the way from `start` to `end` at `weight`."""
    return start + weight * (end - start)


@dispatched
def fma(x: Any, y: Any, z: Any) -> Any:
    """x·y + z."""
    return x * y + z


@dispatched
def addcmul(x: Any, a: Any, b: Any, *, value: float) -> Any:
    """x + value·a·b."""
    return x + value * a * b


@dispatched
def addcdiv(x: Any, a: Any, b: Any, *, value: float) -> Any:
    """x + value·a/b."""
    return x + value * a / b


@dispatched
def clip_between(x: Any, lower: Any, upper: Any) -> Any:
    """x, at least `lower` and at most `upper`; where these are exchanged it is `upper`."""
    return np.minimum(np.maximum(x, lower), upper)


# -- which of three is chosen ----------------------------------------------------------------------

# Of a number and two bounds, where each is the value.
CHOICES: tuple[Callable[[Any, Any, Any], Any], ...] = (
    lambda x, lower, upper: (x >= lower) & (x <= upper),
    lambda x, lower, upper: (x < lower) & (lower <= upper),
    lambda x, lower, upper: (upper < x) | (upper < lower),
)


def chosen(is_chosen: Callable[[Any, Any, Any], Any]) -> Callable[..., Any]:
    """g where an operand is chosen."""
    index = CHOICES.index(is_chosen)

    def vjp(g: Any, z: Any, *operands: Any) -> Any:
        return unbroadcast(np.where(is_chosen(*operands), g, 0), np.shape(operands[index]))

    return vjp


# -- laws ------------------------------------------------------------------------------------------


def scaled(choose: Choose) -> Signature:
    """Three operands that broadcast, and the factor `value`."""
    return Signature(laws.broadcast(3)(choose).shapes, {"value": choose((1.0, -0.3, 2, 0.0))})


# -- rows ------------------------------------------------------------------------------------------

ROWS: tuple[Op, ...] = (
    # where selects g and does not multiply by 0: an infinite g must not leak NaN into the other branch.
    general("where", np.where, None, lambda g, z, c, x, y: unbroadcast(np.where(c, g, 0), np.shape(x)),
        lambda g, z, c, x, y: unbroadcast(np.where(c, 0, g), np.shape(y)),
        formula="x̄ = g where c, else 0; ȳ = 0 where c, else g", source="linear in x and y: selects",
        domains=[BOOLEAN, REAL, REAL], law=laws.broadcast(3),
        traits={ELEMENTWISE, HOLOMORPHIC, PIECEWISE_LINEAR, Homogeneous(1, of=(1, 2)), Shift(1, of=(1, 2))}),
    elementwise("lerp", lerp, lambda z, x, y, w: 1 - w, lambda z, x, y, w: w, lambda z, x, y, w: y - x,
        formula="x̄ = g · (1 − w), ȳ = g · w, w̄ = g · (y − x)", source="product rule on x + w(y − x)",
        traits={QUADRATIC, HOLOMORPHIC, Homogeneous(1, of=(0, 1)), Shift(1, of=(0, 1))}),
    elementwise("fma", fma, lambda z, x, y, a: y, lambda z, x, y, a: x, lambda z, x, y, a: 1,
        formula="x̄ = g · y, ȳ = g · x, ā = g", source="product rule on xy + a",
        traits={QUADRATIC, HOLOMORPHIC, Homogeneous(1, of=(0, 2)), Homogeneous(1, of=(1, 2))}),
    elementwise("addcmul", addcmul, lambda z, x, a, b, value: 1, lambda z, x, a, b, value: value * b,
        lambda z, x, a, b, value: value * a,
        formula="x̄ = g, ā = g · v b, b̄ = g · v a", source="product rule on x + v·ab", law=scaled,
        traits={QUADRATIC, HOLOMORPHIC, Homogeneous(1, of=(0, 1)), Homogeneous(1, of=(0, 2))}),
    elementwise("addcdiv", addcdiv, lambda z, x, a, b, value: 1, lambda z, x, a, b, value: value / b,
        lambda z, x, a, b, value: -value * a / b / b,
        formula="x̄ = g, ā = g · v / b, b̄ = −g · v a / b²", source="quotient rule on x + v·a/b",
        domains=[REAL, REAL, NONZERO], law=scaled,
        traits={HOLOMORPHIC, Homogeneous(1, of=(0, 1)), Homogeneous(0, of=(1, 2))}),
    # Selected, as in where. At a bound x receives the cotangent, as in clip; below two equal bounds the lower one.
    general("clip_between", clip_between, *map(chosen, CHOICES),
        formula="x̄ = g where a ≤ x ≤ b, ā = g where x < a ≤ b, b̄ = g where b < x or b < a, else 0",
        source="selects one of the three: min(max(x, a), b)", domains=[DISTINCT, DISTINCT, DISTINCT], law=laws.broadcast(3),
        traits={ELEMENTWISE, PIECEWISE_LINEAR, Homogeneous(1, of=(0, 1, 2)), Shift(1, of=(0, 1, 2))}),
)  # fmt: skip
