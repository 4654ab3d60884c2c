"""Would an engine be noticed that passes a parameter through single precision?"""

from __future__ import annotations

import math

import numpy as np
import pytest

from conformance.design.rows import leaves
from conformance.op import Op
from conformance.ops import ALL_OPS

# Where a value that single precision cannot hold is no fair one, or there is but one that matters.
EXACT = {
    "quantile/q": "between two entries, whose places must be exact",
    "nanquantile/q": "between two entries, whose places must be exact",
    "zeta/s": "its gradient has s + 1, which is exact for few s, and the logarithm of a huge operand multiplies the rounding",
    **dict.fromkeys(
        ("gammainc/a", "gammaincc/a", "betainc/a", "betainc/b", "power_of/exponent"),
        "in single precision it is rounded as operands are, and the value depends on it much",
    ),
    "max_where/initial": "what is below or above all entries, or between them",
    "min_where/initial": "what is below or above all entries, or between them",
    "margin_ranking/margin": "where the loss has its kink",
    "cosine_embedding/margin": "where the loss has its kink",
    "renorm/p": "norms that engines name",
    "triplet_margin/p": "norms that engines name",
}


def _numbers(op: Op) -> dict[str, set[float]]:
    """The finite floats that each parameter of an op takes."""
    found: dict[str, set[float]] = {}
    for leaf in leaves(op.law):
        for name, value in leaf.parameters.items():
            if isinstance(value, float) and math.isfinite(value):
                found.setdefault(f"{op.name}/{name}", set()).add(value)
    return found


@pytest.mark.parametrize("op", ALL_OPS.values(), ids=lambda op: op.name)
def test_every_parameter_has_a_value_that_single_precision_cannot_hold(op: Op) -> None:
    exact = {name for name, values in _numbers(op).items() if all(float(np.float32(v)) == v for v in values)}
    assert exact == {name for name in EXACT if name.startswith(f"{op.name}/")}
