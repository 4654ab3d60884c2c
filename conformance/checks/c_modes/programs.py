"""The non-linear program that checks of transforms run twice, plainly first (C6, C10)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from conformance.backend import Backend, Function
from conformance.case import Array
from conformance.checks.observation import plain
from conformance.checks.sample import Sample
from conformance.ops.names import EXP, MULTIPLY, TANH
from conformance.program import Program, Step

STEPS = (  # tanh(x w) * exp(x)
    Step(MULTIPLY, (0, 1), {}),
    Step(TANH, (2,), {}),
    Step(EXP, (0,), {}),
    Step(MULTIPLY, (3, 4), {}),
)


def non_linear_program(sample: Sample) -> Program:
    """The program on 35 entries: enough that a change of rounding shows, and no multiple of four."""
    x, w, g = (sample.array((7, 5)) for _ in range(3))
    return Program((x, w), STEPS, g, sample.dtype)


def function_of(engine: Backend, program: Program) -> Function:
    """The program as a function of the engine's arrays."""
    return lambda *leaves: program.run(engine.call, leaves)[-1]


def results_of(
    engine: Backend, function: Function, program: Program, wrt: Sequence[int] | None = None
) -> list[Array]:
    """The value of a function at the program's leaves, then the gradients of those in `wrt`."""
    leaves, cotangents = [np.array(x) for x in program.leaves], [np.array(program.cotangent)]
    outputs, gradients = engine.vjp(function, leaves, cotangents, wrt)
    return [plain(engine, array) for array in (*outputs, *gradients)]
