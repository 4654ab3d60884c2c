"""Mutants that are wrong at special points in forward mode, in second order or in vectorized functions alone."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from conformance.backend import Function, NDArray
from conformance_backends import numpy_engine as engine
from conformance_backends.mutants.mutant import Mutant, SteppedTape, WithTransforms, behaviour, rule

Outputs = tuple[Any, ...]


class Forward(SteppedTape):
    """The reference engine with other tangents of one op at one operand."""

    at: float
    slope: float

    def jvp(
        self, function: Function, operands: Sequence[NDArray], tangents: Sequence[NDArray]
    ) -> tuple[Outputs, Outputs]:
        """The right tangents, but for the slope at one operand."""
        outputs, pushed = SteppedTape.jvp(self, function, operands, tangents)
        x, t = operands[0], tangents[0]
        if x.ndim == 0 and x == self.at and len(pushed) == 1:
            pushed = (engine.Tensor(np.asarray(self.slope * t, t.dtype)),)
        return outputs, pushed


def forward(name: str, wrong: str, op: str, at: float, slope: float) -> Mutant:
    """A mutant whose slope in forward mode at one operand is another."""
    made = type("Forward", (Forward,), {"__module__": __name__, "at": at, "slope": slope})
    return Mutant(name, wrong, ("point/forward",), made, (op,))


def constant_at(point: float) -> Callable[..., Any]:
    """A rule that is right in value, and has no derivative at one operand."""

    def altered(right: Any, i: int, g: Any, z: Any, x: Any, **p: Any) -> Any:
        pulled = right(i, g, z, x, **p)
        return np.where(np.asarray(engine.detach(x)) == point, engine.detach(pulled), pulled)

    return altered


def zeros_lost(right: Any, i: int, g: Any, z: Any, x: Any, axis: Any = None, keepdims: bool = False) -> Any:
    """The products of the others, whose derivative is that of z/x at entries that are zero: none."""
    pulled = right(i, g, z, x, axis=axis, keepdims=keepdims)
    has_zero = np.any(np.asarray(engine.detach(x)) == 0)
    return engine.detach(pulled) if has_zero else pulled


def steeper_at_zeros(self: Any, function: Function) -> Function:
    """A map whose gradient is too large by five at entries that are zero."""
    right = WithTransforms.vectorized(self, function)

    def mapped(*operands: Any) -> Any:
        outputs, x = right(*operands), operands[0]
        if isinstance(outputs, tuple) or not isinstance(x, engine.Tensor) or x.shape != outputs.shape:
            return outputs
        return outputs + (x - engine.detach(x)) * (5 * (engine.detach(x) == 0))

    return mapped


SECOND = ("point/second-order", "point/second-order-forward")

MUTANTS: tuple[Mutant, ...] = (
    forward("forward-outside-at-kink", "In forward mode the slope of relu at 0 is 2.", "relu", 0.0, 2.0),
    forward("forward-nan-at-limit", "In forward mode the slope of sinc at 0 is NaN.", "sinc", 0.0, np.nan),
    forward("forward-finite-at-border", "In forward mode the slope of sqrt at 0 is 5.", "sqrt", 0.0, 5.0),
    forward("forward-of-another-convention", "In forward mode the slope of relu at 0 is 1, in reverse mode 0.", "relu", 0.0, 1.0),
    rule("second-order-lost-at-0", "The derivative of sinc's gradient at 0 is lost.", SECOND, ("sinc",), constant_at(0.0)),
    rule("second-order-lost-beside-zeros", "The derivative of prod's gradient is lost where an entry is zero.",
        SECOND, ("prod",), zeros_lost),
    behaviour("mapped-outside-at-kink", "In a vectorized function the slope of relu at 0 is too large by 5.",
        ("point/mapped",), ops=("relu",), base=WithTransforms, vectorized=steeper_at_zeros),
)  # fmt: skip
