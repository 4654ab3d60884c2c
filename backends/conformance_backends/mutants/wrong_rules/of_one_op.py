"""Wrong rules of one op each, in every call: of choices, steps, distances, systems and special functions."""

from __future__ import annotations

from typing import Any

import numpy as np

from conformance.ops.factorings.banded import whole
from conformance.ops.special import digamma
from conformance_backends.mutants.mutant import Wrong


def where_the_second_holds(
    right: Any, i: int, g: Any, z: Any, first: Any, second: Any, x: Any, y: Any, **p: Any
) -> Any:
    """The first condition is not looked at."""
    return right(i, g, z, first & (i == 2), second, x, y, **p)


def nearest(right: Any, i: int, g: Any, z: Any, *xs: Any, mode: str) -> Any:
    """A number out of range is that of the nearest array."""
    return right(i, g, z, *xs, mode="clip")


def up_to_the_stop(right: Any, i: int, g: Any, z: Any, *xs: Any, endpoint: bool, **p: Any) -> Any:
    """The stop is the last step."""
    return right(i, g, z, *xs, endpoint=True, **p)


def filled_once(right: Any, i: int, g: Any, z: Any, x: Any, *, value: float, wrap: bool) -> Any:
    """The diagonal does not begin again."""
    return right(i, g, z, x, value=value, wrap=False)


def euclidean(right: Any, i: int, g: Any, z: Any, x: Any, *, p: float) -> Any:
    """Of a sum of powers the exponent is 2."""
    return right(i, g, z, x, p=p if p in (1.0, np.inf) else 2.0)


def of_the_triangle(right: Any, i: int, g: Any, z: Any, x: Any) -> Any:
    """The lower triangle's cotangents are left out."""
    return right(i, np.triu(g), z, x)


def untransposed(right: Any, i: int, g: Any, z: Any, *xs: Any) -> Any:
    """The right-hand side's cotangent is A⁻¹ g."""
    return np.linalg.solve(whole(*xs[:3]), g).astype(g.dtype) if i == 3 else right(i, g, z, *xs)


def with_its_end(right: Any, i: int, g: Any, z: Any, *xs: Any) -> Any:
    """What does not count has its neighbour's gradient."""
    pulled = right(i, g, z, *xs)
    if i == 0 and pulled.size:
        pulled[..., 0] = pulled[..., 1]
    return pulled


def of_the_logarithm(right: Any, i: int, g: Any, z: Any, x: Any) -> Any:
    """ψ(x), not multiplied by the value."""
    return g * digamma(x)


def parameters_exchanged(right: Any, i: int, g: Any, z: Any, x: Any, *, a: float, b: float) -> Any:
    """b for a, and a for b."""
    return right(i, g, z, x, a=b, b=a)


def by_a_sum(right: Any, i: int, g: Any, z: Any, x: Any) -> Any:
    """1 + x for 1 − x."""
    return right(i, g, z, x) * (1 - x) / (1 + x)


OF_ONE_OP: tuple[tuple[str, str, str, Wrong], ...] = (
    ("select-second-always", "Where both conditions of select hold, the second array receives the cotangent too.",
        "select", where_the_second_holds),
    ("choose-nearest", "A number that choose counts around gives its cotangent to the nearest array.", "choose", nearest),
    ("linspace-to-the-stop", "The gradient of linspace counts the stop as a step where it is none.", "linspace", up_to_the_stop),
    ("diagonal-filled-once", "What fill_diagonal fills behind the first square receives a gradient.", "fill_diagonal", filled_once),
    ("pdist-euclidean", "The gradient of pdist is that of Euclidean distances.", "pdist", euclidean),
    ("corrcoef-of-the-triangle", "The gradient of corrcoef leaves out the lower triangle's cotangents.", "corrcoef", of_the_triangle),
    ("tridiagonal-untransposed", "The gradient of a tridiagonal system's right-hand side is A⁻¹ g instead of A⁻ᵀ g.",
        "tridiagonal_solve", untransposed),
    ("tridiagonal-with-its-end", "The entry of a lower diagonal that does not count has a gradient.", "tridiagonal_solve", with_its_end),
    ("gamma-of-its-logarithm", "The gradient of gamma is that of its logarithm.", "gamma", of_the_logarithm),
    ("betainc-parameters-exchanged", "The gradient of betainc exchanges both exponents.", "betainc", parameters_exchanged),
    ("spence-by-a-sum", "The gradient of spence divides by 1 + x.", "spence", by_a_sum),
)  # fmt: skip
