"""What a recorded call returns: the gradients of several outputs, whatever a second backward call does to the first's."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from conformance_backends.mutants.controls.conventions import Replacing
from conformance_backends.numpy_backend import NumpyTape

X, W = np.array([3.0, -1.0]), np.array([0.5, 2.0])
COTANGENTS = [np.array([1.0, -2.0]), np.array([0.25, 4.0])]


def product_and_double(x: Any, w: Any) -> tuple[Any, Any]:
    return x * w, x + x  # the second pass does not reach w


@pytest.mark.parametrize("make", [NumpyTape, Replacing])
def test_gradients_of_several_outputs_are_added(make: type[NumpyTape]) -> None:
    tape = make()
    _, gradients = tape.vjp(product_and_double, [X, W], COTANGENTS)
    first, second = COTANGENTS
    assert [tape.numpy(g).tolist() for g in gradients] == [
        (first * W + 2 * second).tolist(),
        (first * X).tolist(),
    ]


def test_a_leaf_that_no_output_reaches_has_no_gradient() -> None:
    tape = Replacing()
    _, (_, gradient) = tape.vjp(lambda x, w: (x * 2.0, x * x), [X, W], COTANGENTS)
    assert gradient is None
