"""What is told of memory is that of arrays, not of what an engine remembers from its first call."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from conformance_backends.numpy_backend import NumpyTape

from conformance.checks.f_cost.cost import memory_of_a_gradient_is_reported
from conformance.checks.registry import NotThisCase
from conformance.checks.sample import Sample


class Compiling(NumpyTape):
    """An engine whose arrays Python does not see, and which remembers a lot when an op is first called."""

    def __init__(self) -> None:
        super().__init__()
        self.remembered: list[Any] = []
        self.elsewhere = np.zeros(1)
        self.ops = {**NumpyTape.ops, "negative": self.negative}  # type: ignore[misc]  # this object's alone

    def negative(self, x: Any) -> Any:
        """Not minus x: what counts is where it lies."""
        self.remembered = self.remembered or [bytearray(2**20)]
        return self.elsewhere


def test_what_a_compiler_remembers_is_not_taken_for_an_array() -> None:
    with pytest.raises(NotThisCase, match="not in memory that Python sees"):
        memory_of_a_gradient_is_reported(Compiling(), Sample(0, "float64"))


def test_arrays_that_python_sees_are_measured() -> None:
    assert memory_of_a_gradient_is_reported(NumpyTape(), Sample(0, "float64"))["gradient_over_forward"] > 0
