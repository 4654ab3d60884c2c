"""Gradients that were taken before they were cleared."""

from __future__ import annotations

from typing import Any, ClassVar

import pytest
from conformance_backends.numpy_backend import NumpyTape

from conformance.checks.b_graph.stored_gradients import gradient_taken_before_clearing_is_kept
from conformance.checks.registry import NotThisCase
from conformance.checks.sample import Sample
from conformance.errors import Violation


class ClearsInPlace(NumpyTape):
    """Its engine sets a stored gradient to zero in place, and has none from then on."""

    def clear(self, leaf: Any) -> None:
        leaf.grad[...] = 0
        super().clear(leaf)


class SaysSo(ClearsInPlace):
    """It declares that gradients that were taken are updated."""

    conventions: ClassVar[dict[str, str]] = {**NumpyTape.conventions, "B4": "updated"}


def test_a_gradient_that_is_cleared_in_place_is_kept_or_updated_as_declared() -> None:
    gradient_taken_before_clearing_is_kept(NumpyTape(), Sample(0, "float64"))
    with pytest.raises(Violation, match="taken before clearing"):
        gradient_taken_before_clearing_is_kept(ClearsInPlace(), Sample(0, "float64"))
    with pytest.raises(NotThisCase):
        gradient_taken_before_clearing_is_kept(SaysSo(), Sample(0, "float64"))
