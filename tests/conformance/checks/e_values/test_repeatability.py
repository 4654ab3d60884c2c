"""What an engine refuses is left out, one call at a time."""

from typing import Any

import pytest
from conformance_backends.numpy_backend import NumpyTape

from conformance.checks.e_values.repeatability import numbers_that_are_equal_but_not_the_same_stay_apart
from conformance.checks.sample import Sample
from conformance.errors import Violation

divide, getitem = NumpyTape.ops["divide"], NumpyTape.ops["getitem"]


def unless_by_zero(a: Any, b: Any) -> Any:
    if isinstance(b, float) and b == 0:
        raise ZeroDivisionError("float division by zero")
    return divide(a, b)


class RefusesZero(NumpyTape):
    ops = {**NumpyTape.ops, "divide": unless_by_zero}  # noqa: RUF012


class TakesTrueForOne(RefusesZero):
    ops = {  # noqa: RUF012
        **RefusesZero.ops,
        "getitem": lambda x, index: getitem(x, index=tuple(int(i) for i in index)),
    }


def test_a_division_by_zero_that_is_refused_is_left_out() -> None:
    numbers_that_are_equal_but_not_the_same_stay_apart(RefusesZero(), Sample(0, "float64"))


def test_what_is_asked_after_it_is_asked_all_the_same() -> None:
    with pytest.raises(Violation, match=r"x\[True\]"):
        numbers_that_are_equal_but_not_the_same_stay_apart(TakesTrueForOne(), Sample(0, "float64"))
