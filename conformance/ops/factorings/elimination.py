"""Elimination and factoring written out, for the precisions that LAPACK does not have."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

LAPACK = tuple(np.dtype(name) for name in ("float32", "float64", "complex64", "complex128"))


def needs_written_out(*arrays: Any) -> bool:
    """Whether NumPy's own linear algebra refuses the precision of the arrays."""
    return np.result_type(*arrays) not in LAPACK


def gauss_jordan(a: Any, b: Any) -> tuple[Any, Any]:
    """The solutions of a @ x = b and the determinants of a, with partial pivoting; no numbers where a is singular."""
    n, dtype = a.shape[-1], np.result_type(a, b)
    batch = np.broadcast_shapes(a.shape[:-2], b.shape[:-2])
    # Counted, since of an empty matrix NumPy does not find how many there are.
    a = np.broadcast_to(a, batch + a.shape[-2:]).reshape(math.prod(batch), n, n)
    b = np.broadcast_to(b, batch + b.shape[-2:]).reshape(len(a), n, b.shape[-1])
    like = b if type(a) is np.ndarray else a  # an array that rounds, if one does: what follows rounds too
    solutions, determinants = (np.empty_like(like, dtype, shape=of) for of in (b.shape, len(a)))
    for i in range(len(a)):
        solutions[i], determinants[i] = _gauss_jordan(a[i].astype(dtype), b[i].astype(dtype))
    return solutions.reshape(*batch, n, b.shape[-1]), determinants.reshape(batch)


def _gauss_jordan(a: Any, b: Any) -> tuple[Any, Any]:
    """One system, solved in place."""
    determinant = np.ones_like(a, shape=1)
    for k in range(len(a)):
        pivot = k + int(np.argmax(np.abs(a[k:, k])))
        if pivot != k:
            a[[k, pivot]], b[[k, pivot]] = a[[pivot, k]], b[[pivot, k]]
            determinant = -determinant
        determinant = determinant * a[k, k : k + 1]
        if not a[k, k]:  # the determinant is 0, and there is no solution
            b[...] = np.nan
            break
        b[k], a[k] = b[k] / a[k, k], a[k] / a[k, k]
        others = np.arange(len(a)) != k
        factor = a[others, k : k + 1]
        b[others], a[others] = b[others] - factor * b[k], a[others] - factor * a[k]
    return b, determinant[0]


def cholesky_factor(x: Any) -> Any:
    """The lower triangular L with L Lᵀ = x, column by column."""
    factor = np.zeros_like(x)
    for j in range(x.shape[-1]):
        rest = x[..., j:, j] - np.sum(factor[..., j:, :j] * factor[..., j : j + 1, :j], axis=-1)
        factor[..., j:, j] = rest / np.sqrt(rest[..., :1])
    return factor
