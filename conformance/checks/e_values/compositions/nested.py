"""Derivatives three deep, each taken by forward or by reverse mode with one function (E4)."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np

from conformance.backend import Backend, Capability, Function
from conformance.checks.comparison import hold_equal
from conformance.checks.observation import plain
from conformance.checks.registry import contract
from conformance.checks.sample import Sample
from conformance.errors import Unsupported, Violation
from conformance.ops.names import MULTIPLY

MODES = ("forward", "reverse")
DEEP = 3


@contract("E4", "three-deep-forward", Capability.HIGHER_ORDER, Capability.FORWARD)
def three_derivatives_by_one_function_are_right(engine: Backend, sample: Sample) -> None:
    """A derivative of a derivative of a derivative of x⁴ is 24 x, each by forward or by reverse mode, and taken by one function that is called with its own result; its gradient is 24."""
    multiply = engine.op(MULTIPLY)
    x, g = sample.array(), sample.array()
    fourth_power = lambda a: multiply(multiply(multiply(a, a), a), a)  # noqa: E731
    orders = [modes for modes in product(MODES, repeat=DEEP) if "forward" in modes]
    asked, lacking = 0, ""
    if engine.compiles_signatures:
        orders = [orders[0], *orders[1 + sample.seed % 3 :: 3]]
    for modes in orders:
        function: Function = fourth_power
        for mode in modes:
            function = _derivative(engine, function, mode, x)
        try:
            (third,), (fourth,) = engine.vjp(function, [np.array(x)], [np.array(g)])
        except Unsupported as reason:  # of an engine that nests its modes in some orders alone
            lacking = str(reason)
            continue
        asked += 1
        what = f"the third derivative of x⁴, by {' then '.join(modes)} mode"
        hold_equal(plain(engine, third), 24 * x, what)
        hold_equal(None if fourth is None else plain(engine, fourth), 24 * g, f"the gradient of {what}")
    if not asked:
        raise Unsupported(lacking)


def _derivative(engine: Backend, function: Function, mode: str, like: Any) -> Function:
    """The derivative of a function entry by entry: the same lines of Python at every depth."""

    def derivative(a: Any) -> Any:
        one = engine.array(np.ones_like(like))
        nested = engine.nested_jvp if mode == "forward" else engine.nested_vjp
        (found,) = nested(function, [a], [one])
        if found is None:
            raise Violation(f"the derivative of a derivative by {mode} mode is None")
        return found

    return derivative
