"""The control whose every value and gradient is rounded once, from extended precision.

x87's extended precision has 64 digits. A rule of k steps is wrong there by some k units of 2⁻⁶⁴, so that its result,
rounded to the 53 digits of double precision, is within 0.5 + k/2048 units in the last place of the true one: it is
the correctly rounded one, except where the true one is nearer than that to halfway between two numbers. In the narrower
dtypes, which have 29 digits or more to spare, no such case is known. Where a rule itself cancels it is as wrong here
as in the oracle; the control of careful formulas shows those.

A gradient that is differentiated again stays in extended precision until it is all done.
"""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from conformance.dtype import is_inexact
from conformance.op import Op
from conformance.oracle.allowance import extended
from conformance_backends import numpy_engine as engine
from conformance_backends.mutants.controls.rows import computed_by, is_recorded
from conformance_backends.mutants.mutant import WithTransforms
from conformance_backends.numpy_engine.tensor import Tensor


class Unrefusing(WithTransforms):
    """The reference engine without LAPACK, whose solvers refuse a singular matrix."""

    points: ClassVar[dict[str, str]] = {
        **WithTransforms.points,
        "slogdet/singular": "nan",
        "logdet/singular": "nan",
    }


def rounded_once(op: Op) -> Op:
    """The row evaluated in extended precision, every result rounded once."""

    def reference(*operands: Any, **parameters: Any) -> Any:
        return op.reference(*map(widened, operands), **parameters)

    def rule(index: int, g: Any, z: Any, /, *operands: Any, **parameters: Any) -> Any:
        xs = [widened(x) for x in operands]
        wide = tuple(map(widened, g)) if isinstance(g, tuple) else widened(g)
        if is_recorded(g, z, *operands):
            again = engine.apply(op, xs, parameters)
        else:
            again = op.reference(*xs, **parameters)
        return _narrowed(op.rule(index, wide, again, *xs, **parameters), g)

    return computed_by(op, reference, rule)


def _narrowed(pulled: Any, g: Any) -> Any:
    (given,) = g[:1] if isinstance(g, tuple) else (g,)
    return pulled.astype(given.dtype)


def widened(operand: Any) -> Any:
    """An array or a tensor in extended precision; integers and truth values unchanged."""
    if not isinstance(operand, Tensor):
        return extended(np.asarray(operand))
    if not is_inexact(operand.dtype):
        return operand
    return operand.astype(np.clongdouble if operand.dtype.kind == "c" else np.longdouble)
