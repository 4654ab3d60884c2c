"""A checkpoint is measured by what it keeps, not by what waits for Python's cycle collector."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from conformance_backends.numpy_backend import NumpyTape

from conformance.backend import Function
from conformance.checks.c_modes.checkpoint import DEPTH, ENTRIES, checkpoint_keeps_no_intermediate_values
from conformance.checks.sample import Sample
from conformance.errors import Violation


class LeavesCycles(NumpyTape):
    """Each call of a checkpoint leaves as much as the plain function keeps, in a cycle."""

    def checkpoint(self, function: Function) -> Function:
        right = super().checkpoint(function)

        def call(*operands: Any) -> Any:
            cycle: list[Any] = [np.ones(DEPTH * ENTRIES)]
            cycle.append(cycle)
            return right(*operands)

        return call


class KeepsAll(NumpyTape):
    """A checkpoint is the function itself."""

    def checkpoint(self, function: Function) -> Function:
        return function


def test_what_only_a_cycle_keeps_is_not_what_a_checkpoint_keeps() -> None:
    checkpoint_keeps_no_intermediate_values(LeavesCycles(), Sample(0, "float64"))
    with pytest.raises(Violation, match="holds"):
        checkpoint_keeps_no_intermediate_values(KeepsAll(), Sample(0, "float64"))
