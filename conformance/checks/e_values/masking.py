"""Chapter E on masks: what a selection hides may have an infinite slope."""

from __future__ import annotations

from typing import Any

import numpy as np

from conformance.backend import Backend, Function
from conformance.checks.engine_calls import gradients_of
from conformance.checks.observation import hold_equal
from conformance.checks.registry import contract, declared_convention
from conformance.checks.sample import Sample
from conformance.ops.names import WHERE

INFINITE_AT_0 = {"sqrt": 0.25, "log": 0.25, "reciprocal": -0.0625}  # with their exact slopes at 4
MASK = np.array([True, False, True])
HIDDEN = np.array([4.0, 0.0, 4.0])


def _chosen(sample: Sample) -> tuple[str, Any, Any]:
    """An op, the operand that hides a zero, and a cotangent with the gradient it must give."""
    op = tuple(INFINITE_AT_0)[sample.seed % len(INFINITE_AT_0)]
    return op, HIDDEN.astype(sample.dtype), np.array([1.0, 2.0, -4.0], sample.dtype)


def _selected(engine: Backend, dtype: str, taken: Any, otherwise: float) -> Any:
    constant = engine.array(np.full(MASK.shape, otherwise, dtype))
    return engine.op(WHERE)(engine.array(MASK), taken, constant)


@contract("E16", "masked-domain")
def hidden_infinite_slope_is_as_elected(engine: Backend, sample: Sample) -> None:
    """Behind a mask an infinite slope times zero is NaN, or zero, as elected; what is selected is right."""
    convention = declared_convention(engine, "E16")
    op, x, g = _chosen(sample)
    function: Function = lambda a: _selected(engine, sample.dtype, engine.op(op)(a), 0.0)  # noqa: E731
    (got,) = gradients_of(engine, function, [x], g)
    expected = np.where(MASK, g * INFINITE_AT_0[op], np.nan if convention == "trap" else 0.0)
    hold_equal(
        got, expected.astype(sample.dtype), f"the gradient of a masked {op} is not as elected ({convention})"
    )


@contract("E16", "masked-twice")
def mask_before_and_behind_is_safe(engine: Backend, sample: Sample) -> None:
    """Masking the operand as well as the result gives zero for what is hidden, on every engine."""
    op, x, g = _chosen(sample)

    def function(a: Any) -> Any:
        return _selected(engine, sample.dtype, engine.op(op)(_selected(engine, sample.dtype, a, 1.0)), 0.0)

    (got,) = gradients_of(engine, function, [x], g)
    expected = np.where(MASK, g * INFINITE_AT_0[op], 0.0).astype(sample.dtype)
    hold_equal(got, expected, f"the gradient of {op}, masked before and behind")
