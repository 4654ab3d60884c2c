"""Rules are applied once: not more often, and by an engine that merges equal calls fewer times."""

from __future__ import annotations

from typing import Any

import pytest
from conformance_backends.mutants.f_cost.work import MUTANTS
from conformance_backends.numpy_backend import NumpyTape

from conformance.backend import Function
from conformance.checks.f_cost.work import every_rule_is_applied_once
from conformance.checks.sample import Sample
from conformance.errors import Violation

SAMPLE = Sample(0, "float64")


class Merging(NumpyTape):
    """An engine in which two calls of one op on one array are one node."""

    def custom(self, forward: Function, backward: Function) -> Function:
        """The engine's rule, whose results are found again by the operand."""
        right, found = super().custom(forward, backward), {}

        def merged(operand: Any) -> Any:
            if id(operand) not in found:
                found[id(operand)] = operand, right(operand)  # kept alive, so that its id stays its own
            return found[id(operand)][1]

        return merged


def test_an_engine_that_merges_equal_calls_is_not_wrong() -> None:
    assert every_rule_is_applied_once(Merging(), SAMPLE) == {"calls_per_rule": 1.0}


@pytest.mark.parametrize(
    "mutant", [m for m in MUTANTS if "contract/F3/work" in m.kills], ids=lambda mutant: mutant.name
)
def test_a_rule_that_is_applied_twice_is_wrong(mutant: Any) -> None:
    with pytest.raises(Violation, match="called rules"):
        every_rule_is_applied_once(mutant.make(), SAMPLE)
