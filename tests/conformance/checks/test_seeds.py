"""Gradient arguments of other shapes: what an adapter declares is of backward passes, and a refusal elsewhere is as good."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

import pytest
from conformance_backends.mutants.a_results.seeds import broadcast_as_values
from conformance_backends.numpy_backend import NumpyTape

from conformance.checks.a_results.seeds import gradient_argument_of_a_gradient_as_a_value_fits
from conformance.checks.sample import Sample
from conformance.errors import Violation


class Broadcasting(NumpyTape):
    """An engine that broadcasts gradient arguments in backward passes alone."""

    conventions: ClassVar[Mapping[str, str]] = {**NumpyTape.conventions, "A4": "broadcast"}


class Everywhere(Broadcasting):
    """The same, which broadcasts those of gradients as values, too."""

    def nested_vjp(self, function: Any, arrays: Sequence[Any], cotangents: Sequence[Any]) -> Any:
        return broadcast_as_values(self, function, arrays, cotangents)


class Undeclared(Everywhere):
    """The same, which declares that it refuses."""

    conventions = NumpyTape.conventions


@pytest.mark.parametrize("engine", [NumpyTape, Broadcasting, Everywhere])
def test_gradients_as_values_refuse_or_broadcast(engine: type[NumpyTape]) -> None:
    gradient_argument_of_a_gradient_as_a_value_fits(engine(), Sample(0, "float64"))


def test_what_is_broadcast_is_declared() -> None:
    with pytest.raises(Violation, match="accepted; the adapter declares 'refused'"):
        gradient_argument_of_a_gradient_as_a_value_fits(Undeclared(), Sample(0, "float64"))
