"""Stored gradients of an engine that does not offer every array."""

from __future__ import annotations

from typing import Any

import pytest
from conformance_backends.numpy_backend import NumpyTape

from conformance.backend import Function
from conformance.checks.b_graph.accumulation import cleared_gradient_starts_from_zero
from conformance.checks.sample import Sample
from conformance.errors import Unsupported


class Refusing(NumpyTape):
    """It refuses operands of some number of entries."""

    refused = 0

    def op(self, name: str) -> Function:
        function = super().op(name)

        def call(*operands: Any, **parameters: Any) -> Any:
            if any(x.value.size == self.refused for x in operands):
                raise Unsupported(f"arrays of {self.refused} entries are not computed")
            return function(*operands, **parameters)

        return call


def test_an_engine_without_empty_arrays_can_clear_gradients() -> None:
    cleared_gradient_starts_from_zero(Refusing(), Sample(0, "float64"))


def test_another_array_that_is_refused_is_not_passed_over() -> None:
    engine = Refusing()
    engine.refused = 1100
    with pytest.raises(Unsupported):
        cleared_gradient_starts_from_zero(engine, Sample(0, "float64"))
