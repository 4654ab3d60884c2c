"""What is timed is a training step: clear, forward, backward, on operands that are the engine's already."""

from __future__ import annotations

import numpy as np
import pytest

from conformance.errors import AdapterError
from conformance.timing.gate import Refused, Solution, admit_gradient
from conformance.timing.prepare import prepare_forward, prepare_gradient
from conformance.timing.programs import WORKLOADS

from . import engines

X = np.array([1.0, 2.0])


def squares(x: object) -> object:
    return np.sum(np.square(x))


def solution_of_squares() -> Solution:
    """Σx², whose value is 5 and whose gradient is 2x."""
    return Solution(WORKLOADS["linear"], {}, (X,), (np.array(5.0), 2 * X), (1e-14, 1e-14))


def test_leaves_are_made_once_and_cleared_before_each_step() -> None:
    tape = engines.Tape()
    step = prepare_gradient(tape, squares, [X])
    assert tape.calls == ["leaf"]
    for _ in range(2):
        np.testing.assert_array_equal(step()[0], 2 * X)
    assert tape.calls == ["leaf"] + ["clear", "backward"] * 2


def test_leaves_are_fresh_where_they_cannot_be_cleared() -> None:
    tape = engines.CannotClear()
    step = prepare_gradient(tape, squares, [X])
    assert tape.calls == []
    for _ in range(2):
        np.testing.assert_array_equal(step()[0], 2 * X)
    assert tape.calls == ["leaf", "backward"] * 2


def test_a_tape_that_does_not_clear_is_refused() -> None:
    tape = engines.NeverClears()
    step = prepare_gradient(tape, squares, [X])
    with pytest.raises(Refused, match="the gradient of operand 0 is off by"):
        admit_gradient(tape, squares, solution_of_squares(), step)


def test_a_functional_engine_pulls_back_the_seed_one() -> None:
    np.testing.assert_allclose(prepare_gradient(engines.Right(), squares, [X])()[0], 2 * X)


def test_the_value_is_computed_on_constants() -> None:
    tape = engines.Tape()
    assert prepare_forward(tape, squares, [X])() == (5.0,)
    assert tape.calls == []


def test_a_mode_with_a_forward_of_its_own_is_timed_in_that_mode() -> None:
    prepared = []

    class Compiled(engines.Right):
        def forward(self, function: object, operands: object) -> tuple[float, ...]:
            prepared.append(function)
            return (5.0,)

    assert prepare_forward(Compiled(), squares, [X])() == (5.0,)
    assert prepared == [squares]


def test_a_mode_with_a_vjp_of_its_own_is_timed_in_that_mode() -> None:
    class Compiled(engines.Right):
        def vjp(self, function: object, operands: object, cotangents: object, wrt: object = None) -> tuple:
            return (5.0,), (7.0 * cotangents[0],)

    assert prepare_gradient(Compiled(), squares, [X])() == (7.0,)


def test_an_adapter_can_say_how_its_engine_trains() -> None:
    step = prepare_gradient(engines.WrongWhenTimed(), squares, [X])
    np.testing.assert_array_equal(step()[0], 0 * X)


def test_an_asynchronous_engine_is_waited_for() -> None:
    waits = engines.Waits()
    prepare_gradient(waits, squares, [X])()
    assert waits.waited == 1
    prepare_forward(waits, squares, [X])()
    assert waits.waited == 2


def test_an_engine_that_computes_at_once_is_not_waited_for() -> None:
    right = engines.Right()

    def finish(array: object) -> None:
        raise AdapterError("nobody should wait for this engine")

    right.finish = finish
    prepare_gradient(right, squares, [X])()
