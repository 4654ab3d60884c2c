"""A leaf that is switched between a function and its backward pass: what stands for no gradient is the engine's to declare."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np
import pytest
from conformance_backends.numpy_backend import NumpyTape

from conformance.checks.c_modes.frozen_leaves import (
    frozen_leaf_gets_no_gradient,
    frozen_leaf_is_written_into_as_a_constant_is,
    graph_recorded_before_a_switch_is_refused_or_right,
)
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


class Refusing(NumpyTape):
    """An engine that takes no recorded value into an array that is not recorded."""

    conventions: ClassVar[Mapping[str, str]] = {**NumpyTape.conventions, "D11": "refused"}

    def assign(self, array: Any, index: Any, value: Any) -> None:
        if getattr(value, "requires_grad", False):
            raise RuntimeError("a recorded value")
        super().assign(array, index, value)


def test_writes_that_are_refused_for_frozen_leaves_and_for_constants_are_alike() -> None:
    frozen_leaf_is_written_into_as_a_constant_is(Refusing(), Sample(0, "float64"))


class FromTheStart(NumpyTape):
    """An engine whose leaves hold zeros until a gradient reaches them, frozen or not."""

    def grad(self, leaf: Any) -> Any:
        gradient = super().grad(leaf)
        return np.zeros_like(leaf.value) if gradient is None else gradient


class Unfrozen(FromTheStart):
    """The same, which freezes nothing."""

    def needs_gradient(self, leaf: Any, is_needed: bool) -> None:
        """Do nothing."""


def test_zeros_that_a_frozen_leaf_holds_from_the_start_are_no_gradient() -> None:
    frozen_leaf_gets_no_gradient(FromTheStart(), Sample(0, "float64"))
    with pytest.raises(Violation, match="what is stored of leaf 0, which is frozen"):
        frozen_leaf_gets_no_gradient(Unfrozen(), Sample(0, "float64"))
