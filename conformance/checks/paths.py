"""Gradients by operands that an output may not depend on, for which an engine may declare a refusal (A13)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from conformance.backend import Backend, Function
from conformance.case import Array
from conformance.checks.engine_calls import gradients_of
from conformance.checks.observation import plain


def gradients_reached(
    engine: Backend,
    function: Function,
    operands: Sequence[Array],
    cotangent: Array,
    expected: Sequence[Array],
) -> list[Any]:
    """The gradients of a function of one output; None for operands without a path, which are asked of no engine that refuses them.

    Args:
        engine: the engine.
        function: of the engine's arrays.
        operands: all of them.
        cotangent: of the output.
        expected: the gradient by each operand, zeros where there is no path.
    """
    if engine.conventions.get("A13") != "refused":
        return gradients_of(engine, function, operands, cotangent)
    wrt = [i for i, gradient in enumerate(expected) if np.any(gradient)]
    _, found = engine.vjp(function, [np.array(x) for x in operands], [np.array(cotangent)], wrt)
    of_operand = dict(zip(wrt, found, strict=True))
    gradients = (of_operand.get(i) for i in range(len(operands)))
    return [None if gradient is None else plain(engine, gradient) for gradient in gradients]
