"""A gradient that does not arrive is a failure with a sentence, not a comparison with nothing."""

from __future__ import annotations

from typing import Any

import pytest
from conformance_backends.numpy_backend import NumpyTape

from conformance.checks import load_all
from conformance.checks.sample import Sample
from conformance.errors import Violation


class DropsMaximum(NumpyTape):
    """An engine whose maximum sends nothing back."""

    def vjp(self, function: Any, *given: Any, **named: Any) -> Any:
        """The gradients, or None for each where the function is this engine's maximum."""
        outputs, gradients = super().vjp(function, *given, **named)
        return outputs, (None,) * len(gradients) if function is self.ops["maximum"] else gradients


def test_a_gradient_that_is_missing_is_named_with_its_op() -> None:
    check = load_all()["contract/B10/permuted"]
    with pytest.raises(
        Violation, match="of maximum, now the second: nothing to compare it with, the engine gave None"
    ):
        check.function(DropsMaximum(), Sample(0, "float64"))
