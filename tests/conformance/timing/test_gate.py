"""An engine whose answer is wrong is refused, with a reason that says what was wrong."""

from __future__ import annotations

import numpy as np
import pytest

from conformance.timing.gate import Refused, Solution, admit_forward, admit_gradient, solve
from conformance.timing.prepare import prepare_forward, prepare_gradient
from conformance.timing.programs import WORKLOADS
from conformance.timing.workloads import SIZES, Workload

from . import engines

LINEAR = WORKLOADS["linear"]


@pytest.fixture(scope="module")
def solution() -> Solution:
    return solve(LINEAR, LINEAR.sizes["small"], "float64", 0)


def admit(backend: engines.Right, solution: Solution) -> None:
    function = solution.workload.program(backend.op, solution.size)
    admit_gradient(backend, function, solution, prepare_gradient(backend, function, solution.operands))
    admit_forward(backend, solution, prepare_forward(backend, function, solution.operands))


def test_a_right_engine_is_admitted(solution: Solution) -> None:
    admit(engines.Right(), solution)


@pytest.mark.parametrize(
    ("engine", "reason"),
    [
        (engines.OffByATrifle, "the gradient of operand 0 is off by"),
        (engines.DropsOne, "the gradient of operand 2 was dropped"),
        (engines.Forgets, "2 gradients for 3 operands"),
        (engines.Unshaped, r"the gradient of operand 0 has shape \(128,\), expected \(8, 16\)"),
        (engines.Undefined, "the gradient of operand 0 is off by nan"),
        (engines.Narrows, "the gradient of operand 0 is float32, expected float64"),
        (engines.WrongForward, "the value is off by 0.001"),
        (engines.WrongWhenTimed, "the gradient of operand 0 is off by"),
        (engines.WrongWhenAsked, "the gradient of operand 0 is off by"),
        (engines.Accumulates, "the gradient of operand 0 is off by"),
    ],
)
def test_a_wrong_engine_is_refused(engine: type[engines.Right], reason: str, solution: Solution) -> None:
    with pytest.raises(Refused, match=reason):
        admit(engine(), solution)


@pytest.mark.parametrize("workload", WORKLOADS.values(), ids=WORKLOADS.keys())
@pytest.mark.parametrize("rank", SIZES)
def test_the_allowance_is_far_below_the_gradient(workload: Workload, rank: str) -> None:
    found = solve(workload, workload.sizes[rank], "float64", 0)
    for exact, allowed in zip(found.exact, found.allowed, strict=True):
        assert 0 < allowed < 1e-11 * np.max(np.abs(exact))
