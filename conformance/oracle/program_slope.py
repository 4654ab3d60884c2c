"""The slope of a program along a direction, found without any rule."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from conformance.case import Array
from conformance.op import Op
from conformance.oracle.allowance import EXTENDED, Expected
from conformance.oracle.derivative import complex_step, extended_differences, is_analytic
from conformance.oracle.reverse_sweep import PROGRAM_PERTURBATIONS, expected_program_gradients, reference_call
from conformance.program import Program

# Programs are drawn further than this from kinks, as long as their slopes are moderate.
MAX_STEP = 2.0**-9

Find = Callable[[str], Op]


@dataclass(frozen=True)
class AlongDirection:
    """A direction in the space of a program's variables with the slope of the program along it."""

    directions: tuple[Array, ...]
    slope: Expected


def expected_slope(
    program: Program, find: Find, *, perturbations: int = PROGRAM_PERTURBATIONS
) -> AlongDirection:
    """The expected ⟨gradient, direction⟩, for a direction of random signs.

    The allowed error is the sum of those of the gradient's entries, plus the estimated error of the differences.
    """
    program = program.straightened(reference_call(find))
    rng = np.random.default_rng(len(program.steps))
    variables = [program.leaves[i].astype(EXTENDED) for i in program.variables]
    directions = tuple(rng.choice((-1.0, 1.0), x.shape).astype(EXTENDED) for x in variables)

    def value(flat: Array) -> Array:
        leaves, start = list(program.leaves), 0
        for i, x in zip(program.variables, variables, strict=True):
            leaves[i] = flat[start : start + x.size].reshape(x.shape)
            start += x.size
        return np.ravel(program.run(reference_call(find), leaves)[-1])

    x, v = (np.concatenate([a.ravel() for a in arrays]) for arrays in (variables, directions))
    measured = (
        complex_step(value, x, v) if is_analytic(value, x, v) else extended_differences(value, x, v, MAX_STEP)
    )
    g = program.cotangent.ravel().astype(EXTENDED)
    exact = np.sum(g * measured.value)
    allowed = np.sum(np.abs(g) * measured.error)
    for expected in expected_program_gradients(program, find, perturbations=perturbations):
        allowed += np.sum(expected.allowed)
    ulp = np.spacing(np.abs(exact).astype(program.dtype)).astype(EXTENDED)
    return AlongDirection(directions, Expected(np.asarray(exact), np.asarray(allowed), np.asarray(ulp)))
