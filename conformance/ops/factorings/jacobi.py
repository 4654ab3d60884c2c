"""Eigenvalues and singular values by Jacobi's rotations, for the precisions that LAPACK does not have.

Nothing is conjugated, so that complex operands are treated as analytic functions of their entries are: a complex step
passes through. Rotations converge quadratically (Golub and Van Loan 2013, sections 8.5 and 8.6.3).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

SWEEPS = 12  # at most; some seven are enough for matrices of the catalogue's sizes
SMALL = 1e-13  # rotations by such angles leave what is left in its square, below extended precision


def eigenpairs(x: Any) -> tuple[Any, Any]:
    """The eigenvalues of symmetric matrices in ascending order, and the eigenvectors as columns."""
    a, v = np.array(x), np.broadcast_to(np.eye(x.shape[-1], dtype=x.dtype), x.shape).copy()

    def rotate(p: int, q: int) -> Any:
        cosine, sine = _rotation(a[..., p, p], a[..., q, q], a[..., p, q])
        _rotate(a, p, q, cosine, sine)
        _rotate(np.swapaxes(a, -1, -2), p, q, cosine, sine)
        _rotate(v, p, q, cosine, sine)
        return sine

    _sweep(x.shape[-1], rotate)
    values = np.diagonal(a, axis1=-2, axis2=-1)
    order = np.argsort(np.real(values), axis=-1)
    return np.take_along_axis(values, order, -1), np.take_along_axis(v, order[..., None, :], -1)


def singular_triplets(x: Any) -> tuple[Any, Any, Any]:
    """U, the singular values in descending order, and Vᵀ, of matrices of full rank: columns rotated until orthogonal."""
    if x.shape[-2] < x.shape[-1]:
        u, s, vt = singular_triplets(np.swapaxes(x, -1, -2))
        return np.swapaxes(vt, -1, -2), s, np.swapaxes(u, -1, -2)
    n = x.shape[-1]
    a, v = np.array(x), np.broadcast_to(np.eye(n, dtype=x.dtype), (*x.shape[:-2], n, n)).copy()

    def rotate(p: int, q: int) -> Any:
        left, right = a[..., p], a[..., q]
        squares = np.sum(left * left, -1), np.sum(right * right, -1), np.sum(left * right, -1)
        cosine, sine = _rotation(*squares)
        _rotate(a, p, q, cosine, sine)
        _rotate(v, p, q, cosine, sine)
        return sine

    _sweep(n, rotate)
    values = np.sqrt(np.sum(a * a, axis=-2))
    order = np.argsort(-np.real(values), axis=-1)
    s = np.take_along_axis(values, order, -1)
    u, v = (np.take_along_axis(m, order[..., None, :], -1) for m in (a, v))
    return u / s[..., None, :], s, np.swapaxes(v, -1, -2)


def _sweep(n: int, rotate: Callable[[int, int], Any]) -> None:
    """Rotate all pairs of columns, again and again, until a sweep turned none by more than a small angle.

    Of complex matrices the imaginary parts of the angles are to be small beside what they were at most: they may be a
    complex step, which is smaller than any angle that matters.

    Args:
        n: how many columns.
        rotate: rotates two of them, and returns the sine of the angle.
    """
    most = 0.0
    for _ in range(SWEEPS):
        sines = np.array([rotate(p, q) for p in range(n) for q in range(p + 1, n)])
        turned, tangent = (float(np.abs(part(sines)).max(initial=0)) for part in (np.real, np.imag))
        most = max(most, tangent)
        if turned <= SMALL and tangent <= SMALL * most:
            return


def _rotation(app: Any, aqq: Any, apq: Any) -> tuple[Any, Any]:
    """Cosine and sine of the smaller angle that makes `apq` zero."""
    gap, double = aqq - app, 2 * apq
    root = np.sqrt(gap * gap + double * double)
    far = gap + np.where(np.real(gap) < 0, -root, root)
    tangent = double / np.where(far == 0, 1, far)
    cosine = 1 / np.sqrt(tangent * tangent + 1)
    return cosine, tangent * cosine


def _rotate(a: Any, p: int, q: int, cosine: Any, sine: Any) -> None:
    """Rotate two columns in place."""
    c, s = np.asarray(cosine)[..., None], np.asarray(sine)[..., None]
    a[..., p], a[..., q] = c * a[..., p] - s * a[..., q], s * a[..., p] + c * a[..., q]
