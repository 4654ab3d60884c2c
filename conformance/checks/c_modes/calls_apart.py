"""Some calls of one function, pulled back in any order or in one graph: each has its own operands and outputs (C5, C6)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import reduce
from itertools import chain
from typing import Any

import numpy as np

from conformance.backend import Backend, Capability, Function, as_tuple
from conformance.case import Array
from conformance.checks.c_modes.rules.rules_by_operand import ab_and_a2b
from conformance.checks.comparison import hold_equal
from conformance.checks.engine_calls import gradients_of
from conformance.checks.observation import hold_gradient, plain
from conformance.checks.registry import contract
from conformance.checks.sample import Sample
from conformance.errors import Unsupported
from conformance.ops.names import ADD, MULTIPLY, NEGATIVE
from conformance.parameters import of_engine

COUNTS = (2, 5)  # of calls: one that keeps the operands of a few calls has too few
Expected = Callable[[Sequence[Array], Array, Array], Sequence[Array]]  # of the cotangents and both operands


def _hold_apart(engine: Backend, sample: Sample, function: Function, expected: Expected, what: str) -> None:
    """Claim that of some calls each has the gradients at its own operands, in either order and in one graph."""
    for count in COUNTS:
        calls = [[sample.array(), sample.array()] for _ in range(count)]
        for order in (range(count), range(count)[::-1]):
            traces = [engine.trace(function, [np.array(x) for x in call]) for call in calls]
            for n in order:
                cotangents = [sample.array() for _ in traces[n].outputs]
                pulled = traces[n].pull([engine.array(np.array(g)) for g in cotangents])
                turn = "first" if n == order[0] else "last" if n == order[-1] else "between"
                for i, right in enumerate(expected(cotangents, *calls[n])):
                    place = f"call {n + 1} of {count} of {what}, pulled back {turn}"
                    hold_gradient(engine, pulled[i], right, f"operand {i}'s gradient in {place}")
        _hold_apart_in_one_graph(engine, sample, calls, function, expected, what)


def _hold_apart_in_one_graph(
    engine: Backend,
    sample: Sample,
    calls: Sequence[Sequence[Array]],
    function: Function,
    expected: Expected,
    what: str,
) -> None:
    """Claim the same of the sum of all outputs of all calls."""
    add, g = engine.op(ADD), sample.array()
    seen: list[int] = []

    def total(*operands: Any) -> Any:
        pairs = zip(operands[::2], operands[1::2], strict=True)
        outputs = [as_tuple(function(a, b)) for a, b in pairs]
        seen.append(len(outputs[0]))
        return reduce(add, chain.from_iterable(outputs))

    got = gradients_of(engine, total, [x for call in calls for x in call], g)
    every = [gradient for a, b in calls for gradient in expected([g] * seen[0], a, b)]
    for i, (ours, right) in enumerate(zip(got, every, strict=True)):
        place = f"call {i // 2 + 1} of {len(calls)} of {what}, in one graph"
        hold_equal(ours, right, f"operand {i % 2}'s gradient in {place}")


def _of_a_product(cotangents: Sequence[Array], a: Array, b: Array) -> Sequence[Array]:
    (g,) = cotangents
    return g * b, g * a


@contract("C5", "calls-apart", Capability.CUSTOM_RULE)
def calls_of_a_custom_rule_are_apart(engine: Backend, sample: Sample) -> None:
    """Of two calls of one custom rule, or five, each has the gradients at its own operands, pulled back in any order."""
    product = engine.custom(lambda a, b: a * b, lambda g, a, b: (g * b, g * a))
    _hold_apart(engine, sample, product, _of_a_product, "a product by a custom rule")


@contract("C5", "outputs-apart", Capability.SEVERAL_OUTPUTS)
def outputs_that_a_rule_uses_are_those_of_its_call(engine: Backend, sample: Sample) -> None:
    """Of two calls of a rule that uses its outputs, or five, each has its own, pulled back in any order."""

    def expected(cotangents: Sequence[Array], a: Array, b: Array) -> Sequence[Array]:
        g, h = cotangents
        return g * b + 2 * h * a * b, g * a + h * a * a

    _hold_apart(engine, sample, ab_and_a2b(engine), expected, "(ab, a²b) by a custom rule")


@contract("C6", "calls-apart", Capability.CHECKPOINTING)
def calls_of_a_checkpoint_are_apart(engine: Backend, sample: Sample) -> None:
    """Of two calls of one checkpointed function, or five, each is computed again at its own operands."""
    product = engine.checkpoint(engine.op(MULTIPLY))
    _hold_apart(engine, sample, product, _of_a_product, "a checkpointed product")


@contract("C10", "calls-apart", Capability.COMPILING)
def calls_of_a_compiled_function_are_apart(engine: Backend, sample: Sample) -> None:
    """Of two calls of one compiled function, or five, each has the gradients at its own operands."""
    product = engine.compiled(engine.op(MULTIPLY))
    _hold_apart(engine, sample, product, _of_a_product, "a compiled product")


# ---- functions of one piece of code, which capture different arrays ---------------------------------------


def _hold_captured_apart(
    engine: Backend, sample: Sample, build: Callable[[Function], Function], what: str
) -> None:
    """Claim that of two functions made by one piece of code each uses, and sends its cotangent to, what it captured itself."""
    multiply, add, negative = engine.op(MULTIPLY), engine.op(ADD), engine.op(NEGATIVE)
    x, v, w, g = sample.array((4, 3)), sample.array((3,)), sample.array((3,)), sample.array((4, 3))

    def squares_by(factor: Any) -> Function:
        return of_engine(build(lambda row: multiply(multiply(row, row), factor)))

    def function(a: Any, b: Any, c: Any) -> Any:
        return add(squares_by(b)(a), negative(squares_by(c)(a)))

    outputs, gradients = engine.vjp(function, [np.array(y) for y in (x, v, w)], [np.array(g)])
    code = f"{what} made twice by one piece of code, which captures v and then w"
    hold_equal(plain(engine, outputs[0]), x * x * v - x * x * w, f"the value of x²v - x²w by {code}")
    expected = (2 * g * x * v - 2 * g * x * w, (g * x * x).sum(axis=0), -(g * x * x).sum(axis=0))
    for gradient, right, name in zip(gradients, expected, "xvw", strict=True):
        got = None if gradient is None else plain(engine, gradient)
        hold_equal(got, right, f"{name}'s gradient of x²v - x²w by {code}")


@contract("C6", "captured-apart", Capability.CHECKPOINTING)
def checkpoints_made_by_one_piece_of_code_are_apart(engine: Backend, sample: Sample) -> None:
    """Of two checkpoints made by one piece of code each is computed again with what it captured itself."""
    _hold_captured_apart(engine, sample, engine.checkpoint, "a checkpoint")


@contract("C10", "captured-apart")
def transforms_made_by_one_piece_of_code_are_apart(engine: Backend, sample: Sample) -> None:
    """Of two compiled or vectorized functions made by one piece of code each uses what it captured itself."""
    for what, build in _transforms(engine):
        _hold_captured_apart(engine, sample, build, what)


@contract("C10", "constants-apart")
def transforms_made_by_one_piece_of_code_keep_their_constants(engine: Backend, sample: Sample) -> None:
    """Of two compiled or vectorized functions made by one piece of code each has the constant that it captured, in its value and its gradient."""
    multiply = engine.op(MULTIPLY)
    for what, build in _transforms(engine):
        x, v, w, g = sample.array((4, 3)), sample.array((3,)), sample.array((3,)), sample.array((4, 3))

        def squares_by(factor: Any, build: Callable[[Function], Function] = build) -> Function:
            return of_engine(build(lambda row: multiply(multiply(row, row), factor)))

        functions = [squares_by(engine.array(np.array(constant))) for constant in (v, w)]
        for function, constant, name in zip(functions, (v, w), "vw", strict=True):
            code = f"x² {name} by {what} made twice by one piece of code, which captures the constants v and then w"
            (value,) = engine.forward(function, [np.array(x)])
            hold_equal(plain(engine, value), x * x * constant, f"the value of {code}")
            (got,) = gradients_of(engine, function, [x], g)
            hold_equal(got, 2 * g * x * constant, f"the gradient of {code}")


def _transforms(engine: Backend) -> Sequence[tuple[str, Callable[[Function], Function]]]:
    """What compiles and vectorizes functions; Unsupported where nothing does."""
    transforms = {
        Capability.COMPILING: ("a compiled function", engine.compiled),
        Capability.VECTORIZING: ("a vectorized function", engine.vectorized),
    }
    offered = [transform for need, transform in transforms.items() if need in engine.capabilities]
    if not offered:
        raise Unsupported("the engine neither compiles nor vectorizes")
    return offered
