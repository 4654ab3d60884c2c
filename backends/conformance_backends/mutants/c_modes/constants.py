"""Mutants that are wrong where some operands require no gradient."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from conformance.backend import Trace
from conformance_backends.mutants.mutant import Mutant, SteppedTape, behaviour


def constants_are_leaves(self: Any, function: Any, operands: Sequence[Any], wrt: Any = None) -> Trace:
    """Every operand requires a gradient; only the requested gradients are returned."""
    traced = SteppedTape.trace(self, function, operands)
    chosen = range(len(operands)) if wrt is None else wrt
    return Trace(traced.arrays, traced.outputs, lambda gs: tuple(traced.pull(gs)[i] for i in chosen))


def gradients_shifted(self: Any, function: Any, operands: Sequence[Any], wrt: Any = None) -> Trace:
    """The gradients are assigned from the first operand on, without skipping constants."""
    traced = SteppedTape.trace(self, function, operands)
    count = len(operands) if wrt is None else len(wrt)
    return Trace(
        SteppedTape.trace(self, function, operands, wrt).arrays,
        traced.outputs,
        lambda gs: traced.pull(gs)[:count],
    )


def frozen_factor_is_one(self: Any, function: Any, operands: Sequence[Any], wrt: Any = None) -> Trace:
    """Where an operand requires no gradient, only the signs of the other gradients are returned."""
    traced = SteppedTape.trace(self, function, operands, wrt)
    if wrt is None or len(wrt) == len(operands):
        return traced
    return Trace(traced.arrays, traced.outputs, lambda gs: tuple(np.sign(g) for g in traced.pull(gs)))


MUTANTS: tuple[Mutant, ...] = (
    behaviour("constants-get-gradients", "An operand that requires no gradient gets one.",
        ("contract/C4/constants", "contract/C5/custom-constant"), trace=constants_are_leaves),
    behaviour("gradients-shifted", "An operand after a constant receives the constant's gradient.",
        ("contract/C4/constants",), trace=gradients_shifted),
    behaviour("frozen-changes-others", "Freezing one operand of a product changes the other's gradient.",
        ("contract/C4/constants",), trace=frozen_factor_is_one),
)  # fmt: skip
