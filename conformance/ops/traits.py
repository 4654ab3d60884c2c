"""The words in which rows state their traits.

`traits={HOLOMORPHIC, Homogeneous(2), undone_by("sqrt")}`: what they mean stands at `Trait` and the classes
beside it. Whether a row has the traits it states, and states those it has, is tested for every row.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from conformance.op import Homogeneous, Inverse, Shift, Trait

__all__ = [
    "ANTILINEAR",
    "COMMUTATIVE",
    "ELEMENTWISE",
    "HOLOMORPHIC",
    "INFINITE_SLOPE_AT_0",
    "LINEAR",
    "LOSS",
    "ORDER_EQUIVARIANT",
    "ORDER_INVARIANT",
    "PIECEWISE_LINEAR",
    "REAL_REFERENCE",
    "REDUCTION",
    "SAVES_OPERANDS",
    "SAVES_OUTPUT",
    "SEVERAL_OUTPUTS",
    "VANISHING",
    "Homogeneous",
    "Shift",
    "exactly_undone_by",
    "undone_by",
]

ANTILINEAR = Trait.ANTILINEAR
COMMUTATIVE = Trait.COMMUTATIVE
ELEMENTWISE = Trait.ELEMENTWISE
HOLOMORPHIC = Trait.HOLOMORPHIC
INFINITE_SLOPE_AT_0 = Trait.INFINITE_SLOPE_AT_0
LINEAR = Trait.LINEAR
LOSS = Trait.LOSS
ORDER_EQUIVARIANT = Trait.ORDER_EQUIVARIANT
ORDER_INVARIANT = Trait.ORDER_INVARIANT
PIECEWISE_LINEAR = Trait.PIECEWISE_LINEAR
QUADRATIC = Trait.QUADRATIC
REAL_REFERENCE = Trait.REAL_REFERENCE
REDUCTION = Trait.REDUCTION
SAVES_OPERANDS = Trait.SAVES_OPERANDS
SAVES_OUTPUT = Trait.SAVES_OUTPUT
SEVERAL_OUTPUTS = Trait.SEVERAL_OUTPUTS
VANISHING = Trait.VANISHING

Parameters = Callable[..., Mapping[str, Any] | None]


def no_parameters(shapes: Any, **parameters: Any) -> Mapping[str, Any]:
    """None are needed, whatever the call."""
    return {}


def undone_by(name: str) -> Inverse:
    """Undone by the op called `name`, but for rounding."""
    return Inverse(name, no_parameters, is_exact=False)


def exactly_undone_by(name: str, parameters: Parameters = no_parameters) -> Inverse:
    """Undone bit for bit by the op called `name`, with parameters made from the call's."""
    return Inverse(name, parameters, is_exact=True)
