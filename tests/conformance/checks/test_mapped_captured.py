"""What a mapped function captures gets the sum over all calls, which an engine may add up in one plain loop."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from conformance_backends.mutants.mutant import WithTransforms

from conformance.backend import Backend
from conformance.case import Case
from conformance.checks.c_modes.mapped_ops import (
    _has_equal_terms,
    _summed,
    op_mapped_over_some_operands_has_the_gradients_of_a_loop,
)
from conformance.checks.observation import Observation, Oracle
from conformance.errors import Violation
from conformance.ops import find
from conformance.oracle.allowance import MANY_PERTURBATIONS

LONG = 1000


def looped(terms: Any) -> float:
    """Their sum in single precision, one by one."""
    return float(np.add.accumulate(np.asarray(terms, np.float32))[-1])


def ask(engine: Backend, entries: Any) -> None:
    x, y = np.array([2.0], np.float32), np.asarray(entries, np.float32)
    g = np.full((1, y.size), 0.8130114, np.float32)
    case = Case("outer", (x, y), {}, (g,), ("C", "C", "C"), "float32")
    op_mapped_over_some_operands_has_the_gradients_of_a_loop(Observation(engine, Oracle(find("outer"), case)))


class OneLoop(WithTransforms):
    """What a mapped outer product captures gets the terms of all calls, added up one by one."""

    factor = np.float32(1)

    def vjp(self, function: Any, operands: Any, cotangents: Any, wrt: Any = None) -> Any:
        outputs, gradients = super().vjp(function, operands, cotangents, wrt)
        x, y = operands
        if x.ndim == 1 < y.ndim:
            total = looped(np.ravel(cotangents[0].reshape(y.shape) * y))
            gradients = (self.array(np.array([total], x.dtype) * self.factor), *gradients[1:])
        return outputs, gradients


class AThousandthMore(OneLoop):
    """The same, and a thousandth more."""

    factor = np.float32(1.001)


@pytest.mark.parametrize("entries", [np.full(LONG, 5.1200004), np.linspace(-3, 5, LONG), [3.0]])
def test_one_loop_over_the_terms_of_all_calls_is_right_and_a_thousandth_more_is_not(entries: Any) -> None:
    ask(OneLoop(), entries)
    with pytest.raises(Violation, match="share operand"):
        ask(AThousandthMore(), entries)


def test_one_loop_over_the_equal_terms_of_two_calls_loses_more_than_a_loop_for_each() -> None:
    calls = [np.full(LONG, entry, np.float32) for entry in (5.1200004, 0.0013037)]
    operand, ones = np.array([2.0], np.float32), np.ones((1, LONG), np.float32)
    cases = [Case("outer", (operand, y), {}, (ones,), ("C",) * 3, "float32") for y in calls]
    assert all(map(_has_equal_terms, cases))
    bounds = [Oracle(find("outer"), case, MANY_PERTURBATIONS).expected[0] for case in cases]
    each, one = (_summed(bounds, "float32", additions) for additions in (len(cases), 2 * LONG))
    error = abs(looped(np.concatenate(calls)) - each.exact[0])
    assert each.allowed[0] < error < one.allowed[0]


def test_an_operand_of_no_entries_beside_a_long_one_is_no_error() -> None:
    nothing, weights = np.zeros((0, 2)), np.arange(16.0).reshape(8, 2)
    case = Case("linear", (nothing, weights), {}, (np.zeros((0, 8)),), ("C",) * 3, "float64")
    assert not _has_equal_terms(case)
