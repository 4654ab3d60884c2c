"""Calls with fewer or more cotangents than outputs, or tangents than operands (A22).

A loop over both that ends with the shorter one would answer them, with a part of the gradient, or with what was meant for
another call.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import numpy as np

from conformance.backend import Backend, Capability, Function, FunctionalBackend
from conformance.case import Array
from conformance.checks.engine_calls import hold_working, is_refused
from conformance.checks.observation import plain
from conformance.checks.registry import contract
from conformance.checks.sample import Sample
from conformance.errors import Unsupported, Violation
from conformance.ops.names import MULTIPLY, NEGATIVE


@contract("A22", "too-few-cotangents")
def each_output_has_a_cotangent(engine: Backend, sample: Sample) -> None:
    """A pullback of two or three outputs that gets too few cotangents refuses them; what is missing is not zero."""
    if not isinstance(engine, FunctionalBackend):
        raise Unsupported(f"{engine.engine} ({engine.mode}) takes outputs one by one")
    for outputs, function in _of_several_outputs(engine).items():
        for count in range(1, outputs):  # without any, an engine may take its default
            x, w, g = (sample.array((3,)) for _ in range(3))
            if not is_refused(partial(_pull, engine, function, [x, w], [g] * count)):
                raise Violation(f"a pullback of {outputs} outputs answered {count} cotangents")
            hold_working(engine, sample, f"after a pullback of {outputs} outputs with {count} cotangents")


@contract("A22", "too-few-tangents", Capability.FORWARD)
def each_operand_has_a_tangent(engine: Backend, sample: Sample) -> None:
    """A product of two or three operands that gets too few tangents refuses them; what is missing is not zero."""
    multiply = engine.op(MULTIPLY)
    functions = {2: multiply, 3: lambda a, b, c: multiply(multiply(a, b), c)}
    for operands, function in functions.items():
        for count in range(1, operands):
            values = [sample.array((3,)) for _ in range(operands)]
            along = [sample.array((3,)) for _ in range(count)]
            if not is_refused(partial(_push, engine, function, values, along)):
                raise Violation(f"a function of {operands} operands answered {count} tangents")
            hold_working(engine, sample, f"after a function of {operands} operands with {count} tangents")


@contract("A22", "too-many-cotangents")
def no_cotangent_is_without_an_output(engine: Backend, sample: Sample) -> None:
    """A pullback of two or three outputs that gets a cotangent more than there are outputs refuses them."""
    if not isinstance(engine, FunctionalBackend):
        raise Unsupported(f"{engine.engine} ({engine.mode}) takes outputs one by one")
    for outputs, function in _of_several_outputs(engine).items():
        x, w, *given = (sample.array((3,)) for _ in range(outputs + 3))
        if not is_refused(partial(_pull, engine, function, [x, w], given)):
            raise Violation(f"a pullback of {outputs} outputs answered {len(given)} cotangents")
        hold_working(engine, sample, f"after a pullback of {outputs} outputs with {len(given)} cotangents")


@contract("A22", "too-many-tangents", Capability.FORWARD)
def no_tangent_is_without_an_operand(engine: Backend, sample: Sample) -> None:
    """A function of one or two operands that gets a tangent more than there are operands refuses them."""
    multiply = engine.op(MULTIPLY)
    for operands, function in {1: lambda a: multiply(a, a), 2: multiply}.items():
        values = [sample.array((3,)) for _ in range(operands)]
        along = [sample.array((3,)) for _ in range(operands + 1)]
        if not is_refused(partial(_push, engine, function, values, along)):
            raise Violation(f"a function of {operands} operands answered {len(along)} tangents")
        hold_working(engine, sample, f"after a function of {operands} operands with {len(along)} tangents")


def _of_several_outputs(engine: Backend) -> dict[int, Function]:
    """Functions of two operands, by their number of outputs."""
    multiply, negative = engine.op(MULTIPLY), engine.op(NEGATIVE)
    return {
        2: lambda a, b: (multiply(a, b), negative(a)),
        3: lambda a, b: (negative(b), multiply(a, b), multiply(b, b)),
    }


def _pull(
    engine: FunctionalBackend, function: Function, operands: Sequence[Array], cotangents: Sequence[Array]
) -> None:
    """Pull cotangents back, and read what comes: a lazy engine refuses there."""
    _, pulled = engine.pullback(function, [engine.array(np.array(x)) for x in operands])
    for gradient in pulled(tuple(engine.array(np.array(g)) for g in cotangents)):
        if gradient is not None:
            plain(engine, gradient)


def _push(engine: Backend, function: Function, operands: Sequence[Array], along: Sequence[Array]) -> None:
    """Push tangents forward, and read what comes."""
    _, tangents = engine.jvp(function, [np.array(x) for x in operands], [np.array(t) for t in along])
    for tangent in tangents:
        if tangent is not None:
            plain(engine, tangent)
