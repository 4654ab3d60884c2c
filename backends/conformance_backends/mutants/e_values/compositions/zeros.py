"""Mutants whose second derivatives are lost where a factor or a base is zero."""

from __future__ import annotations

from typing import Any

import numpy as np

from conformance_backends.mutants.mutant import Mutant, rule
from conformance_backends.numpy_engine.tensor import detach


def constant_beside_a_zero(right: Any, i: int, g: Any, z: Any, x: Any, **p: Any) -> Any:
    """Where a factor is zero the derivative is computed from detached values."""
    has_zero = bool(np.any(detach(x) == 0))
    return right(i, g, detach(z), detach(x), **p) if has_zero else right(i, g, z, x, **p)


def constant_squared_zero(right: Any, i: int, g: Any, z: Any, x: Any, exponent: Any) -> Any:
    """The slope of a square is a constant at zero."""
    slope = right(i, g, z, x, exponent=exponent)
    return np.where(detach(x) == 0, detach(slope), slope) if exponent == 2 else slope


MUTANTS: tuple[Mutant, ...] = (
    rule("second-derivative-of-products-lost-at-zeros", "Where a factor is zero the derivative of a product is computed from detached values.",
        ("contract/E4/zeros",), ("prod", "cumulative_prod"), constant_beside_a_zero),
    rule("second-derivative-of-squares-lost-at-zeros", "Where a base is zero the derivative of its square is a constant.",
        ("contract/E4/zeros",), ("power_of",), constant_squared_zero),
)  # fmt: skip
