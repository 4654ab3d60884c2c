"""What smoke says without a verdict: what an engine was seen to do that may be meant, or may be the adapter's copy."""

from __future__ import annotations

from typing import Any

import numpy as np

from conformance.backend import Backend, Capability, TapeBackend
from conformance.checks.observation import plain
from conformance.errors import hold_no_stop
from conformance.importing import changed_errors
from conformance.ops.names import MULTIPLY, PERMUTE_DIMS
from conformance.run.claims.capabilities import array_of, undeclared

OF_GRADIENTS = (
    "what is written into memory(grad(leaf)) does not reach the gradient that grad() reads next: return the engine's own, "
    "not a copy; if the engine itself hands out copies, leave it so"
)
OF_ERRORS = (
    "importing the adapter changes NumPy's error state for the whole process, np.seterr({}): the suite computes there too, and has "
    "put it back; set it within np.errstate(…) where it is needed"
)
OF_LAYOUTS = (
    "array() puts an array with the first axis first in memory into another order, though the engine has arrays with "
    "either order: hand the array on as it is, or layouts are not asked; if the engine itself copies so, leave it so"
)


def advice_of(backend: Backend) -> list[str]:
    """What to declare, or to look at, a sentence each."""
    said = undeclared(backend)
    if changed_errors:
        said.append(OF_ERRORS.format(", ".join(f"{kind}={how!r}" for kind, how in changed_errors.items())))
    if Capability.WRITABLE in backend.capabilities:
        for is_copied, advice in ((_copies_gradients, OF_GRADIENTS), (_reorders, OF_LAYOUTS)):
            try:
                said += [advice] if is_copied(backend) else []
            except BaseException as error:  # such as of memory that cannot be written
                hold_no_stop(error)
                continue
    return said


def _copies_gradients(backend: Backend) -> bool:
    if not isinstance(backend, TapeBackend):
        return False
    multiply, x = backend.op(MULTIPLY), array_of(backend, [3, 5])
    leaf = backend.leaf(np.array(x))
    backend.backward(multiply(leaf, leaf), backend.array(array_of(backend, [1, 1])))
    memory = backend.memory(backend.grad(leaf))
    memory[...] = 7
    return bool(np.array_equal(plain(backend, backend.grad(leaf)), 2 * x))


def _reorders(backend: Backend) -> bool:
    rows = array_of(backend, [[1, 2], [3, 4], [5, 6]])
    (turned,) = backend.forward(backend.call(PERMUTE_DIMS, {"axes": (1, 0)}), [np.array(rows)])
    given = backend.array(np.array(rows, order="F"))
    return _is_fortran(backend, turned) and not _is_fortran(backend, given)


def _is_fortran(backend: Backend, array: Any) -> bool:
    flags = backend.memory(array).flags
    return bool(flags.f_contiguous and not flags.c_contiguous)
