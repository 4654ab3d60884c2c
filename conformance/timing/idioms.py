"""What an engine's users write where the engine has no function of an op's name: autograd's relu is maximum(x, 0).

Such an engine is timed with its own idiom, and its line says so: left out, it would look as if it could not train an MLP.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from conformance.backend import Backend, Function
from conformance.ops.names import (
    EXP,
    LOG_SOFTMAX,
    LOGSUMEXP,
    MATRIX_TRANSPOSE,
    MAXIMUM,
    RELU,
    SOFTMAX,
    SUBTRACT,
    SWAPAXES,
)
from conformance.timing.workloads import FindOp


class Finder:
    """Finds an engine's function for an op, or what its users write for it; `used` collects the latter as text."""

    def __init__(self, backend: Backend, dtype: str) -> None:
        self.backend, self.dtype = backend, dtype
        self.used: dict[str, str] = {}

    def __call__(self, name: str) -> Function:
        """The function; raises Unsupported where the engine has neither."""
        if name in self.backend.ops or name not in IDIOMS:
            return self.backend.op(name)
        text, build = IDIOMS[name]
        found = build(self)
        self.used[name] = text
        return found

    def zero(self) -> Any:
        """A constant zero of the engine's."""
        return self.backend.array(np.zeros((), self.dtype))


def relu(find: Finder) -> Function:
    """maximum(x, 0)."""
    maximum, zero = find(MAXIMUM), find.zero()
    return lambda x: maximum(x, zero)


def log_softmax(find: FindOp) -> Function:
    """x − logsumexp(x)."""
    subtract, logsumexp = find(SUBTRACT), find(LOGSUMEXP)
    return lambda x, axis: subtract(x, logsumexp(x, axis=axis, keepdims=True))


def softmax(find: FindOp) -> Function:
    """exp(x − logsumexp(x))."""
    exp, logs = find(EXP), log_softmax(find)
    return lambda x, axis: exp(logs(x, axis=axis))


def matrix_transpose(find: FindOp) -> Function:
    """swapaxes(x, -1, -2)."""
    swapaxes = find(SWAPAXES)
    return lambda x: swapaxes(x, axis1=-1, axis2=-2)


IDIOMS: dict[str, tuple[str, Callable[[Finder], Function]]] = {
    RELU: ("maximum(x, 0)", relu),
    LOG_SOFTMAX: ("x - logsumexp(x)", log_softmax),
    SOFTMAX: ("exp(x - logsumexp(x))", softmax),
    MATRIX_TRANSPOSE: ("swapaxes(x, -1, -2)", matrix_transpose),
}
