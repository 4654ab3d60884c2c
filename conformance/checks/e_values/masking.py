"""Chapter E on masks: what a selection hides may have an infinite slope."""

from __future__ import annotations

from typing import Any

import numpy as np

from conformance.backend import Backend, Function
from conformance.checks.comparison import hold_equal
from conformance.checks.engine_calls import gradients_of
from conformance.checks.registry import OtherConvention, contract, declared_convention
from conformance.checks.sample import Sample
from conformance.op import Trait
from conformance.ops import examples_of, find
from conformance.ops.names import LOG, RECIPROCAL, SQRT, WHERE

# Their slopes at 4 are powers of two, so that nothing is rounded.
STEEP = examples_of(Trait.INFINITE_SLOPE_AT_0, SQRT, LOG, RECIPROCAL)
MASK = np.array([True, False, True])
HIDDEN = np.array([4.0, 0.0, 4.0])


def _chosen(sample: Sample) -> tuple[str, Any, Any, float]:
    """An op, the operand that hides a zero, a cotangent, and the op's slope at what is not hidden."""
    op = find(STEEP[sample.seed % len(STEEP)])
    x, g = HIDDEN.astype(sample.dtype), np.array([1.0, 2.0, -4.0], sample.dtype)
    shown = HIDDEN[0]
    return op.name, x, g, float(op.rule(0, np.float64(1), op.reference(shown), shown))


def _selected(engine: Backend, dtype: str, taken: Any, otherwise: float) -> Any:
    constant = engine.array(np.full(MASK.shape, otherwise, dtype))
    return engine.op(WHERE)(engine.array(MASK), taken, constant)


@contract("E16", "masked-domain")
def hidden_infinite_slope_is_as_declared(engine: Backend, sample: Sample) -> None:
    """Behind a mask an infinite slope times zero is NaN or zero, as the adapter declares; what is selected is right."""
    op, x, g, slope = _chosen(sample)
    convention = declared_convention(engine, "E16", op)
    function: Function = lambda a: _selected(engine, sample.dtype, engine.op(op)(a), 0.0)  # noqa: E731
    (got,) = gradients_of(engine, function, [x], g)
    expected = {
        choice: np.where(MASK, g * slope, hidden).astype(sample.dtype)
        for choice, hidden in (("trap", np.nan), ("safe", 0.0))
    }
    claim = f"the gradient of a masked {op}"
    for choice, of_choice in expected.items():
        if choice != convention and np.array_equal(got, of_choice, equal_nan=True):
            hidden = of_choice[~MASK].flat[0]
            said = f"{claim} is {hidden:g} behind the mask; the adapter declares {convention!r}"
            raise OtherConvention(said, "E16", op, choice)
    hold_equal(got, expected[convention], f"{claim}; the adapter declares {convention!r}")


@contract("E16", "masked-twice")
def mask_before_and_behind_is_safe(engine: Backend, sample: Sample) -> None:
    """Masking the operand as well as the result gives zero for what is hidden, on every engine."""
    op, x, g, slope = _chosen(sample)

    def function(a: Any) -> Any:
        return _selected(engine, sample.dtype, engine.op(op)(_selected(engine, sample.dtype, a, 1.0)), 0.0)

    (got,) = gradients_of(engine, function, [x], g)
    expected = np.where(MASK, g * slope, 0.0).astype(sample.dtype)
    hold_equal(got, expected, f"the gradient of {op}, masked before and behind")
