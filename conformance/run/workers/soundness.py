"""Soundness: whether an engine still does what it did before a question failed.

A failure may leave an engine's process in a state in which nothing is recorded any more, or every answer is wrong. The
questions after it are then asked in a process of their own: each failure is the fault of one question.
"""

from __future__ import annotations

import numpy as np

from conformance.backend import Backend
from conformance.errors import is_ctrl_c
from conformance.ops.names import MULTIPLY

Gist = tuple[bytes | str, ...] | None


def gist_of(backend: Backend) -> Gist:
    """A small product and its gradients, in bytes and by their types, or the type of what was raised; None where there is no product.

    An engine that is left in the middle of a recording may give the right numbers in arrays that go on recording. It is asked in each dtype, and of an operand that is used twice: an engine may compute each dtype, and the sum of
    contributions, by a library of its own, and lose that alone.
    """
    if MULTIPLY not in backend.ops or not backend.dtypes:
        return None
    return tuple(part for dtype in backend.dtypes for part in _product(backend, dtype))


def _product(backend: Backend, dtype: str) -> tuple[bytes | str, ...]:
    x, w, g = (np.array(values, dtype) for values in ([1.5, -2.0], [0.5, 3.0], [1.0, -0.25]))
    try:
        multiply = backend.op(MULTIPLY)
        outputs, gradients = backend.vjp(lambda a, b: multiply(multiply(a, b), a), [x, w], [g], (0, 1))
        arrays = [*outputs, *gradients]
        return tuple(
            part for z in arrays for part in (type(z).__name__, np.asarray(backend.numpy(z)).tobytes())
        )
    except BaseException as failure:
        if is_ctrl_c(failure):
            raise
        return (type(failure).__name__,)
