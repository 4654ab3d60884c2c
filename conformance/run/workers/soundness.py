"""Soundness: whether an engine still does what it did before a question failed.

A failure may leave an engine's process in a state in which nothing is recorded any more, or every answer is wrong. The
questions after it are then asked in a process of their own: each failure is the fault of one question.
"""

from __future__ import annotations

import numpy as np

from conformance.backend import Backend
from conformance.errors import is_ctrl_c
from conformance.ops.names import MULTIPLY

Gist = tuple[bytes, ...] | str | None


def gist_of(backend: Backend) -> Gist:
    """A small product and its gradients, in bytes; the type of what was raised; None where there is no product."""
    if MULTIPLY not in backend.ops or not backend.dtypes:
        return None
    x, w, g = (np.array(values, backend.dtypes[0]) for values in ([1.5, -2.0], [0.5, 3.0], [1.0, -0.25]))
    try:
        outputs, gradients = backend.vjp(backend.op(MULTIPLY), [x, w], [g], (0, 1))
        arrays = [*(backend.numpy(z) for z in outputs), *(backend.numpy(d) for d in gradients)]
        return tuple(np.asarray(array).tobytes() for array in arrays)
    except BaseException as failure:
        if is_ctrl_c(failure):
            raise
        return type(failure).__name__
