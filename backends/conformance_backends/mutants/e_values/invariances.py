"""Mutants that break an invariance of a function."""

from __future__ import annotations

from typing import Any

import numpy as np

from conformance.ops.reductions import axes_of
from conformance_backends.mutants.mutant import Mutant, rule


def doubled_at_the_start(right: Any, i: int, g: Any, z: Any, x: Any, axis: Any = None, **p: Any) -> Any:
    """The first entry along every reduced axis counts twice."""
    pulled = np.array(right(i, g, z, x, axis=axis, **p))
    starts = tuple(slice(0, 1) if a in axes_of(x.shape, axis) else slice(None) for a in range(np.ndim(x)))
    pulled[starts] = 2 * pulled[starts]
    return pulled


def statistics_as_constants(right: Any, i: int, g: Any, z: Any, x: Any, *rest: Any, eps: float) -> Any:
    """The mean and the variance do not depend on x."""
    if i > 0:
        return right(i, g, z, x, *rest, eps=eps)
    return g * rest[0] / np.sqrt(np.var(x, axis=-1, keepdims=True) + x.dtype.type(eps))


def _population(right: Any, i: int, g: Any, z: Any, x: Any, **p: Any) -> Any:
    return right(i, g, z, x, **{**p, "correction": 0})


def _squared_on_the_way(right: Any, i: int, g: Any, z: Any, x: Any) -> Any:
    u, s, vt = z
    return right(i, g, (u, np.sqrt(s * s), vt), x)


def _triangle_squared(right: Any, i: int, g: Any, z: Any, x: Any, **p: Any) -> Any:
    squared = np.sqrt(np.square(np.square(z))) / z
    return right(i, g, np.where(np.eye(x.shape[-1], dtype=bool), squared, z), x, **p)


MUTANTS: tuple[Mutant, ...] = (
    rule("first-entry-twice", "The first entry of what a logsumexp sums counts twice.",
        ("op/order", "op/shift", "op/vjp"), ("logsumexp",), doubled_at_the_start),
    rule("square-without-two", "The gradient of a square is x.",
        ("op/euler", "op/vjp"), ("square",), lambda right, i, g, z, x: g * x),
    rule("softmax-uncoupled", "The entries of a softmax are differentiated as if each were independent of the others.",
        ("op/vjp", "op/shift"), ("softmax",), lambda right, i, g, z, x, axis: g * z * (1 - z)),
    rule("statistics-constant", "A layer norm's mean and variance are held constant.",
        ("op/vjp", "op/shift"), ("layer_norm",), statistics_as_constants),
    rule("correction-ignored", "A variance's gradient divides by n whatever the correction.", ("op/vjp", "op/euler"), ("var",), _population),
    rule("singular-values-squared", "The gradient of a singular value decomposition is by the squares of the singular values, which overflow or are lost.",
        ("op/far-scaled",), ("svd",), _squared_on_the_way),
    rule("triangle-squared", "The gradient of a Cholesky factor is by the squares of its diagonal.", ("op/far-scaled",), ("cholesky",),
        _triangle_squared),
)  # fmt: skip
