"""The slope of a program along a direction, found without any rule."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from conformance.case import Array
from conformance.op import Op
from conformance.oracle.allowance import EXTENDED, Expected
from conformance.oracle.derivative import complex_step, extended_differences, is_analytic
from conformance.oracle.reverse_sweep import TRIALS, expected_program_gradients, referring
from conformance.program import Program

# Programs stay further than this from kinks, if their slopes up to there are moderate.
ROOM = 2.0**-9

Find = Callable[[str], Op]


@dataclass(frozen=True)
class AlongDirection:
    """A direction in the space of a program's variables, and the slope that the program has along it."""

    directions: tuple[Array, ...]
    slope: Expected


def expected_slope(program: Program, find: Find, *, perturbations: int = TRIALS) -> AlongDirection:
    """What ⟨gradient, direction⟩ must be, for a direction of signs.

    It is allowed what the gradient's entries are allowed together, and what the differences may be off by.
    """
    program = program.straightened(referring(find))
    rng = np.random.default_rng(len(program.steps))
    variables = [program.leaves[i].astype(EXTENDED) for i in program.variables]
    directions = tuple(rng.choice((-1.0, 1.0), x.shape).astype(EXTENDED) for x in variables)

    def value(flat: Array) -> Array:
        leaves, start = list(program.leaves), 0
        for i, x in zip(program.variables, variables, strict=True):
            leaves[i] = flat[start : start + x.size].reshape(x.shape)
            start += x.size
        return np.ravel(program.run(referring(find), leaves)[-1])

    x, v = (np.concatenate([a.ravel() for a in arrays]) for arrays in (variables, directions))
    measured = (
        complex_step(value, x, v) if is_analytic(value, x, v) else extended_differences(value, x, v, ROOM)
    )
    g = program.cotangent.ravel().astype(EXTENDED)
    exact = np.sum(g * measured.value)
    allowed = np.sum(np.abs(g) * measured.risk)
    for expected in expected_program_gradients(program, find, perturbations=perturbations):
        allowed += np.sum(expected.allowed)
    ulp = np.spacing(np.abs(exact).astype(program.dtype)).astype(EXTENDED)
    return AlongDirection(directions, Expected(np.asarray(exact), np.asarray(allowed), np.asarray(ulp)))
