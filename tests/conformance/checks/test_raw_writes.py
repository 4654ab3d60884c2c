"""What a write into memory does is asked apart from what else is wrong with an op."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
import pytest
from conformance_backends import numpy_engine
from conformance_backends.numpy_backend import NumpyTape

from conformance.checks.d_mutation.in_place import raw_write_does_what_is_declared
from conformance.checks.sample import Sample
from conformance.errors import Violation


class SigmoidWithoutGradient(NumpyTape):
    """An engine whose sigmoid has no history beside a term that has one, so that its gradient is zero; or none at all."""

    ops: ClassVar[dict[str, Any]] = {**NumpyTape.ops, "sigmoid": lambda x: numpy_engine.detach(x) + 0 * x}

    def grad(self, leaf: Any) -> Any:
        found = super().grad(leaf)
        return None if found is not None and not np.any(np.asarray(found)) else found


def test_a_gradient_that_never_arrives_says_nothing_of_writes() -> None:
    raw_write_does_what_is_declared(SigmoidWithoutGradient(), Sample(0, "float64"))


class DeclaresCopies(SigmoidWithoutGradient):
    conventions: ClassVar[dict[str, str]] = {**NumpyTape.conventions, "D4": "copies"}


def test_of_the_others_it_is_said_what_a_write_does() -> None:
    with pytest.raises(Violation, match="changes the gradient; the adapter declares 'copies'"):
        raw_write_does_what_is_declared(DeclaresCopies(), Sample(0, "float64"))
