"""A program runs, branches, and says which way it went."""

from __future__ import annotations

import numpy as np
import pytest

from conformance.ops import CATALOGUE, find
from conformance.oracle.program_slope import expected_slope
from conformance.oracle.reverse_sweep import expected_program_gradients, reference_call, reverse_sweep
from conformance.program import BRANCH, Program, Step
from conformance.strategies.programs import draw_programs


def branching(x: float) -> Program:
    """x * x where x is positive, else -x."""
    step = Step(BRANCH, (0, 0), {"then": "square", "otherwise": "negative"})
    return Program((np.array([x]),), (step,), np.array([2.0]), "float64")


@pytest.mark.parametrize(("x", "value", "slope"), [(3.0, 9.0, 12.0), (-3.0, 3.0, -2.0)])
def test_a_branch_is_the_step_that_is_taken(x: float, value: float, slope: float) -> None:
    program = branching(x)
    assert program.run(reference_call(find), program.leaves)[-1] == value
    assert reverse_sweep(program, find, (*program.leaves, program.cotangent))[0] == slope
    assert program.has_branches
    assert not program.straightened(reference_call(find)).has_branches


def test_programs_visit_most_of_the_catalogue_and_branch() -> None:
    programs = [p for seed in range(12) for p in draw_programs(find, "float64", seed, 60)]
    visited = {step.op for program in programs for step in program.steps}
    assert len(visited & set(CATALOGUE)) > 3 * len(CATALOGUE) / 5
    assert BRANCH in visited
    assert sum(program.changes_precision for program in programs) > len(programs) / 20
    assert max(len(program.steps) for program in programs) <= 30


def test_the_slope_of_a_program_is_that_of_its_gradient() -> None:
    in_one_precision = [p for p in draw_programs(find, "float64", 1, 10) if not p.changes_precision]
    assert len(in_one_precision) >= 10
    for program in in_one_precision:
        expected = expected_slope(program, find)
        gradients = [e.exact for e in expected_program_gradients(program, find)]
        along = sum(np.sum(g * v) for g, v in zip(gradients, expected.directions, strict=True))
        assert abs(along - expected.slope.exact) <= expected.slope.allowed
        assert expected.slope.allowed <= 1e-6 * (
            1 + np.abs(expected.slope.exact) + np.abs(program.cotangent).sum()
        )


def test_what_is_computed_in_single_precision_is_allowed_its_rounding_and_no_more() -> None:
    steps = (
        Step("astype", (0,), {"dtype": "float32"}),
        Step("tanh", (1,), {}),
        Step("astype", (2,), {"dtype": "float64"}),
        Step("add", (3, 0), {}),
    )
    program = Program((np.array([0.5, -1.25]),), steps, np.array([1.0, -3.0]), "float64")
    assert program.changes_precision
    (expected,) = expected_program_gradients(program, find)
    exact = np.array([1.0, -3.0]) * (2 - np.tanh([0.5, -1.25]) ** 2)
    assert np.all(np.abs(expected.exact - exact) <= expected.allowed)
    assert np.all(expected.allowed <= 64 * np.finfo("float32").eps)
    assert np.all(expected.allowed > np.finfo("float64").eps)
