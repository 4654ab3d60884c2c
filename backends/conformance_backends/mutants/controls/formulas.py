"""The control with careful formulas: the most accurate that is known to us for each op, in its own precision.

They are written independently of the rows. A tail is computed from the exponential that vanishes there, never as the
difference of two numbers near 1; a square that may overflow is not taken; sums are compensated.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any, ClassVar

import numpy as np

from conformance.op import Op
from conformance.ops.rows import in_precision_of, unbroadcast
from conformance_backends.mutants.controls.formulas_of_arrays import LOSSES, RULES
from conformance_backends.mutants.controls.formulas_of_entries import SLOPES, Slopes
from conformance_backends.mutants.controls.sums import compensated, evaluated_on, ordered
from conformance_backends.mutants.mutant import WithTransforms


class Finite(WithTransforms):
    """The reference engine, finite at some operands that are not."""

    points: ClassVar[dict[str, str]] = {
        **WithTransforms.points,
        "mish/at-minus-infinity": "zero",
        "mish/at-infinity": "one",
        "silu/at-minus-infinity": "zero",
    }


def careful(op: Op) -> Op:
    """The row with the most accurate formula, its sums compensated."""
    reference, rule = op.reference, op.rule
    if op.name in SLOPES:
        value, slopes = SLOPES[op.name]
        reference, rule = value or reference, _elementwise(slopes)
    elif op.name in RULES:
        value, pulled = RULES[op.name]
        reference, rule = value or reference, pulled or rule
    elif op.name in LOSSES:
        value, slopes = LOSSES[op.name]
        reference, rule = _reduced(value) if value else reference, _of_loss(slopes)
    row = evaluated_on(op, ordered(compensated), op.reference, op.rule)
    other = evaluated_on(op, ordered(compensated), reference, rule)

    def of_real(here: Callable[..., Any], there: Callable[..., Any]) -> Callable[..., Any]:
        return lambda *given, **parameters: (there if any(map(is_complex, given)) else here)(
            *given, **parameters
        )

    # The formulas are for real operands; at complex ones the row's own are used.
    return replace(
        other, reference=of_real(other.reference, row.reference), rule=of_real(other.rule, row.rule)
    )


def is_complex(given: Any) -> bool:
    """Whether it is an array, or a tensor, of complex numbers."""
    dtype = getattr(given, "dtype", None)
    return dtype is not None and dtype.kind == "c"


def _elementwise(slopes: Slopes) -> Callable[..., Any]:
    def rule(index: int, g: Any, z: Any, /, *operands: Any, **parameters: Any) -> Any:
        slope = in_precision_of(g, slopes[index](z, *operands, **parameters))
        return unbroadcast(g * slope, operands[index].shape)

    return rule


def _reduced(loss: Callable[..., Any]) -> Callable[..., Any]:
    def reference(*operands: Any, reduction: str = "mean", **parameters: Any) -> Any:
        each = loss(*operands, **parameters)
        return each if reduction == "none" else np.mean(each) if reduction == "mean" else np.sum(each)

    return reference


def _of_loss(slopes: Slopes) -> Callable[..., Any]:
    def rule(
        index: int, g: Any, z: Any, /, *operands: Any, reduction: str = "mean", **parameters: Any
    ) -> Any:
        each = g / np.size(operands[0]) if reduction == "mean" else g
        return each * in_precision_of(g, slopes[index](*operands, **parameters))

    return rule
