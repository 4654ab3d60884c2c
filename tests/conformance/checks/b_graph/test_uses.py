"""An array in several places of an op: in which ops it may stand, and what rounding allows there."""

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


def of_one_op(function: Any, name: str = "cosine_similarity") -> NumpyTape:
    engine = NumpyTape()
    engine.ops = {name: NumpyTape.ops[name] for name in ("sum", "multiply")} | {name: function}  # type: ignore[misc]
    return engine


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_contributions_that_cancel_may_be_added_in_any_order(dtype: str) -> None:
    asked = 0
    for seed in range(12):  # a third of them have the op
        with contextlib.suppress(NotThisCase):
            operands_of_every_op_may_be_the_same_or_equal(of_one_op(cosine), Sample(seed, dtype))
            asked += 1
    assert asked > 2


@pytest.mark.parametrize(
    ("name", "is_asked"),
    [("atan2", True), ("xlogy", True), ("triplet_margin", False), ("remainder", False), ("fmod", False)],
)
def test_operands_are_equal_only_where_every_domain_has_them(name: str, is_asked: bool) -> None:
    """Equal operands of the others meet a kink or a jump: a distance of 0, a quotient of 1."""
    equal = []

    def noted(*operands: Any, **parameters: Any) -> Any:
        equal.append(len({np.asarray(getattr(x, "value", x)).tobytes() for x in operands}) == 1)
        return NumpyTape.ops[name](*operands, **parameters)

    for seed in range(12):
        with contextlib.suppress(NotThisCase):
            operands_of_every_op_may_be_the_same_or_equal(of_one_op(noted, name), Sample(seed, "float64"))
    assert any(equal) == is_asked
