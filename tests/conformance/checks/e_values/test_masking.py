"""An infinite slope behind a mask: engines may differ by op, and an op's own convention counts."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from conformance_backends.numpy_backend import NumpyTape

from conformance.checks.e_values.masking import STEEP, hidden_infinite_slope_is_as_declared
from conformance.checks.sample import Sample
from conformance.errors import Violation


def tape(**of_op: str) -> NumpyTape:
    """The reference engine, with another convention declared for some ops."""
    engine = NumpyTape()
    declared: dict[str, Any] = {**engine.conventions, **{f"E16/{op}": c for op, c in of_op.items()}}
    engine.conventions = declared  # type: ignore[misc]  # of this object, not of its class
    return engine


@np.errstate(divide="ignore", invalid="ignore")
@pytest.mark.parametrize("seed", range(len(STEEP)))
def test_the_convention_of_an_op_is_asked_of_that_op_alone(seed: int) -> None:
    op, other = STEEP[seed], STEEP[seed - 1]
    sample = Sample(seed, "float64")
    differing = "safe" if NumpyTape.conventions["E16"] == "trap" else "trap"
    hidden_infinite_slope_is_as_declared(tape(**{other: differing}), sample)
    with pytest.raises(
        Violation, match=f"a masked {op} is (nan|0) behind the mask; the adapter declares '{differing}'"
    ):
        hidden_infinite_slope_is_as_declared(tape(**{op: differing}), Sample(seed, "float64"))
