"""Writes of a value into an array of another precision (D7)."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from conformance.backend import Backend, Capability
from conformance.checks.comparison import hold_equal
from conformance.checks.engine_calls import unless_refused
from conformance.checks.observation import plain
from conformance.checks.registry import NotThisCase, contract
from conformance.checks.sample import Sample
from conformance.errors import Unsupported, Violation
from conformance.ops.names import MULTIPLY, NEGATIVE

SHAPE = (3, 2)
WIDTHS = ("float64", "float32")


@contract("D7", "other-dtype", Capability.RECORDED_WRITES)
def value_of_another_dtype_that_is_written_has_its_gradient(engine: Backend, sample: Sample) -> None:
    """A value of another precision that is written is rounded to the array's, which keeps its dtype, and has its gradient in its own, unless it is refused."""
    widths = [dtype for dtype in WIDTHS if dtype in engine.dtypes]
    if len(widths) < len(WIDTHS):
        raise Unsupported(f"{engine.engine} has gradients in {' and '.join(widths) or sample.dtype} only")
    answers = [_hold_written(engine, sample, *pair) for pair in (widths, widths[::-1])]
    if not any(answers):
        raise NotThisCase("the engine refuses to write a value of another precision")


def _hold_written(engine: Backend, sample: Sample, wide: str, other: str) -> bool:
    """Whether a value of the `other` dtype may be written into an array of the dtype `wide`; claims what comes of it."""
    multiply, negative = engine.op(MULTIPLY), engine.op(NEGATIVE)
    x, u, g = (sample.array(SHAPE).astype(wide) for _ in range(3))
    w = sample.array((2,)).astype(other)

    def written(a: Any, b: Any, c: Any) -> Any:
        target = negative(a)
        engine.assign(target, (1,), b)
        return target

    def multiplied(a: Any, b: Any, c: Any) -> Any:
        return multiply(written(a, b, c), c)

    value = np.stack([-x[0], w.astype(wide), -x[2]])
    what, of_w = f"-x of {wide}, in which a {other} was written", f"a {other} that was written into a {wide}"
    for function, name, right, slope in (
        (written, what, value, g[1]),
        (multiplied, f"{what}, times u", value * u, g[1] * u[1]),
    ):
        operands = [np.array(x), np.array(w), np.array(u)]
        answer = unless_refused(partial(engine.vjp, function, operands, [np.array(g)]), engine)
        if answer is None:
            return False
        got = None if answer[1][1] is None else plain(engine, answer[1][1])
        hold_equal(found := plain(engine, answer[0][0]), right, name)
        hold_equal(got, slope.astype(other), f"the gradient of {of_w}")
        if found.dtype != wide:
            raise Violation(f"{name}, is of {found.dtype}")
        if got is not None and got.dtype != other:
            raise Violation(f"the gradient of {of_w} is of {got.dtype}")
    return True
