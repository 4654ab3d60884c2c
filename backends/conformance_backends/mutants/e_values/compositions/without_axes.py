"""Mutants that take a factor without axes for a number."""

from __future__ import annotations

from typing import Any

import numpy as np

from conformance_backends.mutants.mutant import Mutant, rule
from conformance_backends.numpy_engine.tensor import detach


def of_a_plain_first_without_axes(right: Any, i: int, g: Any, z: Any, x: Any, y: Any, *xs: Any) -> Any:
    """The second operand's derivative takes a first one without axes as a number, so it is constant in that."""
    return right(i, g, z, detach(x) if i == 1 and np.ndim(detach(x)) == 0 else x, y, *xs)


MUTANTS: tuple[Mutant, ...] = (
    rule("second-derivative-lost-of-a-factor-without-axes",
        "The derivative of a fused product and sum by its second operand takes a first one without axes as a number.",
        ("contract/E4/without-axes",), ("fma", "multiply"), of_a_plain_first_without_axes),
)  # fmt: skip
