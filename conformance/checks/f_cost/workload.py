"""The function whose cost is measured, with its gradients."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from conformance.backend import Backend
from conformance.checks.comparison import hold_equal
from conformance.checks.engine_calls import full_sum
from conformance.checks.observation import plain
from conformance.checks.sample import Sample
from conformance.ops.names import MATMUL, MULTIPLY

Measured = dict[str, float]


def squares(engine: Backend) -> Callable[..., Any]:
    """sum((x @ w)²): a matrix product large enough to be timed, and exact for whole numbers."""
    matmul, multiply = engine.op(MATMUL), engine.op(MULTIPLY)
    total = full_sum(engine)

    def function(x: Any, w: Any) -> Any:
        y = matmul(x, w)
        return total(multiply(y, y))

    return function


def hold_gradient(engine: Backend, gradients: Any, x: Any, w: Any) -> None:
    """Claim that these are the gradients of sum((x @ w)²): a cost is reported only where the gradient is right."""
    y = x @ w
    for got, expected, name in zip(gradients, (2 * y @ w.T, 2 * x.T @ y), "xw", strict=True):
        hold_equal(plain(engine, got), expected.astype(x.dtype), f"the gradient of {name} in sum((x @ w)²)")


def operands(sample: Sample, rows: int = 32) -> tuple[Any, Any]:
    """Whole numbers, so that sums of products are exact in every order."""
    return tuple(np.rint(sample.array(shape)) for shape in ((rows, 16), (16, 8)))  # type: ignore[return-value]
