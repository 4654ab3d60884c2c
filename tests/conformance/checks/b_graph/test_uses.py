"""An array in several places of an op is compared with what rounding allows of the op, not of one addition."""

from __future__ import annotations

import contextlib
from typing import Any

import numpy as np
import pytest
from conformance_backends.numpy_backend import NumpyTape

from conformance.checks.b_graph.uses import operands_of_every_op_may_be_the_same_or_equal
from conformance.checks.registry import NotThisCase
from conformance.checks.sample import Sample


def cosine(x: Any, y: Any, axis: int) -> Any:
    """Composed of ops: what x and x receive cancels, in another order than what two arrays receive."""
    lengths = (np.exp(np.log(np.sum(x * x, axis=axis)) * 0.5), np.sqrt(np.sum(y * y, axis=axis)))
    return np.sum(x * y, axis=axis) / (lengths[0] * lengths[1])


def of_one_op(function: Any) -> NumpyTape:
    engine = NumpyTape()
    engine.ops = {name: NumpyTape.ops[name] for name in ("sum", "multiply")} | {"cosine_similarity": function}  # type: ignore[misc]
    return engine


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_contributions_that_cancel_may_be_added_in_any_order(dtype: str) -> None:
    asked = 0
    for seed in range(12):  # a third of them have the op
        with contextlib.suppress(NotThisCase):
            operands_of_every_op_may_be_the_same_or_equal(of_one_op(cosine), Sample(seed, dtype))
            asked += 1
    assert asked > 2
