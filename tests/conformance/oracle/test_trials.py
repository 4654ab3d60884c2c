"""Trials that are evaluated as one array are the trials that are evaluated one by one, of other random numbers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

from conformance.ops import find
from conformance.oracle import rounding
from conformance.oracle.rounding import trials

X = np.linspace(0.5, 3, 40)
MANY = 200
EXTENDED = np.clongdouble  # whose mean of many numbers has no error of their size


def calls_of(evaluate: Any) -> tuple[Any, list[int]]:
    """The function, and a list that grows with each of its calls."""
    calls: list[int] = []

    def counted(inputs: Sequence[Any]) -> Any:
        calls.append(len(inputs))
        return [evaluate(*inputs)]

    return counted, calls


@pytest.mark.parametrize("dtype", ["float64", "float32", "float16", "bfloat16", "complex128"])
def test_entries_that_are_alone_are_evaluated_once_and_move_as_far(
    dtype: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    x = X.astype(find("astype").reference(X, dtype=dtype).dtype)
    evaluate, calls = calls_of(lambda x: 1 - x * np.tanh(x))
    (together,) = trials(evaluate, [x], dtype, MANY, are_entries_alone=True)
    assert calls == [1]
    monkeypatch.setattr(rounding, "MOST_TOGETHER", 0)
    (apart,) = trials(evaluate, [x], dtype, MANY, are_entries_alone=True)
    assert len(calls) == 1 + MANY
    assert together.shape == apart.shape == (MANY, 40)
    assert together.dtype == apart.dtype
    # Each entry of each trial has roundings of its own: as many values, within the same distance.
    moved = [np.abs(z - z.mean(axis=0)) for z in (together.astype(EXTENDED), apart.astype(EXTENDED))]
    assert 0.8 < moved[0].mean() / moved[1].mean() < 1.25
    assert moved[0].any()


def test_what_adds_up_is_evaluated_one_by_one_since_each_trial_has_an_order_of_its_own() -> None:
    evaluate, calls = calls_of(lambda x: x * np.sum(np.reshape(x, (-1, 40)), axis=1)[0])
    (found,) = trials(evaluate, [X], "float64", 5, are_entries_alone=True)
    assert len(calls) == 1 + 5
    assert found.shape == (5, 40)


def test_operands_that_broadcast_are_evaluated_one_by_one_and_so_is_what_combines_entries() -> None:
    evaluate, calls = calls_of(np.add)
    trials(evaluate, [X, np.ones(1)], "float64", 5, are_entries_alone=True)
    trials(evaluate, [X, X], "float64", 5, are_entries_alone=False)
    assert len(calls) == 10


def test_a_result_that_rounds_nothing_is_the_same_in_each_trial() -> None:
    (found,) = trials(lambda xs: [np.ones(3)], [np.zeros(3)], "float64", 4, are_entries_alone=True)
    assert found.shape == (4, 3)
    assert (found == 1).all()
