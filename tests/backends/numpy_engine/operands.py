"""Operands that the tests of the reference engine share, with their gradients by central differences."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from conformance_backends.numpy_engine import Tensor

RNG = np.random.default_rng(7)
A = RNG.standard_normal((3, 4))
B = RNG.standard_normal((4, 2))
V = RNG.standard_normal(4)
S = RNG.standard_normal((3, 3))


def leaf(value: Any) -> Tensor:
    return Tensor(np.array(value, dtype=float), requires_grad=True)


def differences(function: Callable[..., Any], *operands: Any, step: float = 1e-6) -> list[Any]:
    """The gradients of a scalar function of arrays, by central differences."""
    gradients = []
    for position, operand in enumerate(operands):
        gradient = np.zeros(np.shape(operand))
        for place in np.ndindex(gradient.shape):
            ends = []
            for sign in (1, -1):
                perturbed = [np.array(x, dtype=float) for x in operands]
                perturbed[position][place] += sign * step
                ends.append(float(function(*perturbed)))
            gradient[place] = (ends[0] - ends[1]) / (2 * step)
        gradients.append(gradient)
    return gradients
