"""The step of a check: an exception says of which of a check's calls it came."""

from __future__ import annotations

from typing import Any

import pytest
from conformance_backends.numpy_backend import NumpyTape

from conformance.checks import load_all
from conformance.checks.sample import Sample
from conformance.diagnosis.step import step_of


class Interrupted(BaseException):
    """What no check takes for a refusal."""


class Raising(NumpyTape):
    """Raises in the backward pass of that number."""

    def __init__(self, number: int) -> None:
        super().__init__()
        self.number = number

    def backward(self, output: Any, gradient: Any = None, *, retain: bool = False) -> None:
        self.number -= 1
        if self.number == 0:
            raise Interrupted
        super().backward(output, gradient, retain=retain)


def step_at(key: str, number: int) -> str:
    with pytest.raises(Interrupted) as raised:
        load_all()[key].function(Raising(number), Sample(0, "float64", key))
    return step_of(raised.value.__traceback__)


@pytest.mark.parametrize(
    ("number", "said"),
    [(1, "entered again after it was left"), (3, "entered by a function that calls itself")],
)
def test_a_step_says_where_in_its_loops_a_check_stood(number: int, said: str) -> None:
    step = step_at("contract/C1/no-grad-again", number)
    assert step.startswith(f"{said} (scopes_again.py:")


def test_behind_a_loop_nothing_is_said_of_what_it_ran_through() -> None:
    step = step_at("contract/C1/no-grad-again", 4)
    assert step.startswith("scopes_again.py:")


def test_what_says_nothing_by_itself_is_shown_with_its_name() -> None:
    step = step_at("contract/A23/number", 3)
    assert step.startswith("dtype = float64, shape = (3,), name = add, number = 0.5, place = 0 (")


def test_what_is_no_plain_value_is_never_shown() -> None:
    """An engine's arrays and functions are not asked for their text."""
    assert "<function" not in step_at("contract/A7/every-precision", 1)


def test_an_exception_outside_of_checks_has_no_step() -> None:
    with pytest.raises(Interrupted) as raised:
        Raising(1).backward(None)
    assert not step_of(raised.value.__traceback__)
