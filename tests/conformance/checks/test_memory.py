"""What counts as the memory of a gradient."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from conformance_backends.numpy_backend import NumpyTape

from conformance.case import Case
from conformance.checks import load_all
from conformance.checks.observation import Observation, Oracle
from conformance.errors import Violation
from conformance.ops import ALL_OPS
from conformance.run.forms import case_of, forms_of

NEGATIVE = ALL_OPS["negative"]


class ReturnsNumbers(NumpyTape):
    """Returns a number of NumPy's for a 0-d array, as NumPy does."""

    def memory(self, array: Any) -> Any:
        """The number itself, into which nothing can be written."""
        return super().memory(array)[()] if not array.ndim else super().memory(array)


class ReturnsViews(NumpyTape):
    """Returns gradients that are views of one number."""

    def memory(self, array: Any) -> Any:
        """Memory that cannot be written."""
        return np.broadcast_to(super().memory(array), array.shape)


def of_rank(rank: int) -> Case:
    signature = next(s for s in forms_of(NEGATIVE) if len(s.shapes[0]) == rank)
    return case_of(NEGATIVE, signature, "float64")


def test_a_number_is_nobody_elses_memory_and_a_view_is() -> None:
    check = load_all()["op/gradients-own-memory"].function
    check(Observation(ReturnsNumbers(), Oracle(NEGATIVE, of_rank(0))))
    with pytest.raises(Violation, match="memory that cannot be written"):
        check(Observation(ReturnsViews(), Oracle(NEGATIVE, of_rank(0))))
