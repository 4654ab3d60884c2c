"""What a mapped function captures gets the sum over all calls, which an engine may add up in one plain loop."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from conformance_backends.mutants.mutant import WithTransforms

from conformance.case import Case
from conformance.checks.c_modes.mapped_ops import (
    _has_equal_terms,
    op_mapped_over_some_operands_has_the_gradients_of_a_loop,
)
from conformance.checks.observation import Observation, Oracle
from conformance.checks.registry import NotThisCase
from conformance.ops import find

LONG = 1000


def looped(terms: Any) -> float:
    """Their sum in single precision, one by one."""
    return float(np.add.accumulate(np.asarray(terms, np.float32))[-1])


def ask(entries: Any) -> None:
    x, y = np.array([2.0], np.float32), np.asarray(entries, np.float32)
    g = np.full((1, y.size), 0.8130114, np.float32)
    case = Case("outer", (x, y), {}, (g,), ("C", "C", "C"), "float32")
    op_mapped_over_some_operands_has_the_gradients_of_a_loop(
        Observation(WithTransforms(), Oracle(find("outer"), case))
    )


def test_one_loop_over_the_equal_terms_of_two_calls_loses_more_than_a_loop_for_each() -> None:
    calls = np.full(LONG, 5.1200004), np.full(LONG, 0.0013037)
    exact = float(np.sum(np.concatenate(calls).astype(np.float32), dtype=np.float64))
    apart = abs(sum(map(looped, calls)) - exact)
    assert abs(looped(np.concatenate(calls)) - exact) > 2 * apart
    with pytest.raises(NotThisCase, match="equal terms"):
        ask(calls[0])


def test_of_other_terms_it_is_asked() -> None:
    ask(np.linspace(-3, 5, LONG))
    ask([3.0])  # of few terms the order is nothing


def test_an_operand_of_no_entries_beside_a_long_one_is_no_error() -> None:
    nothing, weights = np.zeros((0, 2)), np.arange(16.0).reshape(8, 2)
    case = Case("linear", (nothing, weights), {}, (np.zeros((0, 8)),), ("C",) * 3, "float64")
    assert not _has_equal_terms(case)
