"""The reported memory is that of arrays, without what an engine caches at its first call."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from conformance_backends.numpy_backend import NumpyTape

from conformance.checks.f_cost.time_and_memory import memory_of_a_gradient_is_reported
from conformance.checks.registry import NotThisCase
from conformance.checks.sample import Sample


class Compiling(NumpyTape):
    """An engine whose arrays Python does not trace, and which caches much memory when an op is first called."""

    def __init__(self) -> None:
        super().__init__()
        self.cached: list[Any] = []
        self.elsewhere = np.zeros(1)
        self.ops = {**NumpyTape.ops, "negative": self.negative}  # type: ignore[misc]  # this object's alone

    def negative(self, x: Any) -> Any:
        """An array in memory that was allocated before; its values do not matter."""
        self.cached = self.cached or [bytearray(2**20)]
        return self.elsewhere


def test_memory_cached_by_a_compiler_is_not_counted_as_an_array() -> None:
    with pytest.raises(NotThisCase, match="not in memory that Python traces"):
        memory_of_a_gradient_is_reported(Compiling(), Sample(0, "float64"))


def test_arrays_that_python_traces_are_measured() -> None:
    assert memory_of_a_gradient_is_reported(NumpyTape(), Sample(0, "float64"))["gradient_over_forward"] > 0
