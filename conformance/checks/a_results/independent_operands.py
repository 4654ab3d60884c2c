"""Operands without a path to the output (A13, A14), or with two through one call (A20)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from conformance.backend import Backend, Capability, Function
from conformance.case import Array
from conformance.checks.comparison import hold_equal
from conformance.checks.engine_calls import Gradients, full_sum, gradients_of, hold_no_gradient
from conformance.checks.observation import plain
from conformance.checks.registry import contract, declared_convention
from conformance.checks.sample import Sample
from conformance.ops.names import ADD, MATMUL, MULTIPLY, SUBTRACT


@contract("A13", "unused-operand")
def operand_that_the_output_does_not_depend_on(engine: Backend, sample: Sample) -> None:
    """An operand that the output does not depend on gets zeros, None or an error, as declared."""
    convention = declared_convention(engine, "A13")
    x, w, g = (sample.array() for _ in range(3))
    multiply = engine.op(MULTIPLY)

    def unused(a: Any, b: Any) -> Any:
        return multiply(a, a)

    def discarded(a: Any, b: Any) -> Any:
        multiply(a, b)
        return multiply(a, a)

    for function, what in ((unused, "an operand that is not used"), (discarded, "one whose product is not")):
        for call, cotangent in zip(_calls(engine, function, [x, w], g), (g, np.ones_like(g)), strict=True):
            gradients = hold_no_gradient(engine, convention, call, w, 1, what)
            if gradients is not None:
                hold_equal(plain(engine, gradients[0]), 2 * cotangent * x, f"x's gradient beside {what}")


@contract("A14", "constant-output")
def output_that_depends_on_nothing(engine: Backend, sample: Sample) -> None:
    """For an output that depends on no operand the gradient is zeros, None or refused, as declared."""
    convention = declared_convention(engine, "A14")
    x, c, g = (sample.array() for _ in range(3))
    for function, what in _constants(engine, c):
        for call in _calls(engine, function, [x], g):
            hold_no_gradient(engine, convention, call, x, 0, what)


def _calls(
    engine: Backend, function: Function, operands: Sequence[Array], g: Array
) -> tuple[Gradients, Gradients]:
    """Two gradient calls of a function: with the cotangent `g`, and of its sum without one."""
    total = full_sum(engine)
    return (
        lambda: engine.vjp(function, [np.array(x) for x in operands], [np.array(g)])[1],
        lambda: engine.gradient(lambda *xs: total(function(*xs)), [np.array(x) for x in operands]),
    )


def _constants(engine: Backend, value: Array) -> Iterator[tuple[Function, str]]:
    """Functions whose outputs are constants, each with a name for its output."""
    multiply, constant = engine.op(MULTIPLY), engine.array(np.array(value))
    yield lambda a: constant, "a constant"
    yield lambda a: multiply(constant, constant), "a product of constants"
    if Capability.DETACH in engine.capabilities:
        yield lambda a: engine.detach(multiply(a, a)), "a detached value"


@contract("A20", "named-twice")
def operand_named_twice_in_one_call(engine: Backend, sample: Sample) -> None:
    """An operand named twice in one call receives the sum of what both places receive."""
    x, g = sample.array((3, 3)), sample.array((3, 3))
    sums = {
        ADD: 2 * g,
        SUBTRACT: np.zeros_like(x),
        MULTIPLY: 2 * g * x,
        MATMUL: g @ x.T + x.T @ g,
    }
    for name, expected in sums.items():
        op = engine.op(name)
        (got,) = gradients_of(engine, lambda a, op=op: op(a, a), [x], g)
        hold_equal(got, expected, f"the gradient of {name}(x, x)")
