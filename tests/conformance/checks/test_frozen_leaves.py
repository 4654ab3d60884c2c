"""A leaf that is switched between a function and its backward pass: what stands for no gradient is the engine's to declare."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np
import pytest
from conformance_backends.numpy_backend import NumpyTape

from conformance.checks.c_modes.frozen_leaves import graph_recorded_before_a_switch_is_refused_or_right
from conformance.checks.sample import Sample
from conformance.errors import Violation


class Zeros(NumpyTape):
    """An engine whose leaves have zeros where none has reached them."""

    conventions: ClassVar[Mapping[str, str]] = {**NumpyTape.conventions, "A13": "zeros"}

    def grad(self, leaf: Any) -> Any:
        gradient = super().grad(leaf)
        return np.zeros_like(leaf.value) if gradient is None and leaf.requires_grad else gradient


class Undeclared(Zeros):
    """The same, which declares that none stays none."""

    conventions = NumpyTape.conventions


def test_declared_zeros_are_no_gradient() -> None:
    graph_recorded_before_a_switch_is_refused_or_right(Zeros(), Sample(0, "float64"))


def test_zeros_are_wrong_where_none_is_declared() -> None:
    with pytest.raises(Violation, match="thawed afterwards"):
        graph_recorded_before_a_switch_is_refused_or_right(Undeclared(), Sample(0, "float64"))
