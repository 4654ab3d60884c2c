"""Functions that NumPy computes where no rounding can be seen, spelt out in functions whose rounding can.

`np.einsum` or `np.linalg.vector_norm` hand their operands to compiled code, or make plain arrays of them: a trial would
perturb the operands, and then sum as NumPy does. An engine may sum in any other order.
"""

from __future__ import annotations

import functools
import math
import operator
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from conformance.ops.products import free_axes, tensordot_pairs, terms_of
from conformance.oracle.draws import Draws

MOST = 1 << 20  # products that are held at once


def _vector_norm(
    draws: Draws | None, x: Any, *, axis: Any = None, keepdims: bool = False, ord: float = 2
) -> Any:
    """The root of a sum of powers, as its definition says; of an infinite order, the largest or the smallest size."""
    size, along = np.abs(x), {"axis": axis, "keepdims": keepdims}
    if math.isinf(ord):
        return (np.max if ord > 0 else np.min)(size, **along)
    if ord == 0:
        return np.sum(size != 0, **along, dtype=size.dtype)
    if ord == 1:
        return np.sum(size, **along)
    if ord == 2:
        return np.sqrt(np.sum(size * size, **along))
    return np.sum(size**ord, **along) ** (1 / ord)


def _tensordot(draws: Draws | None, a: Any, b: Any, axes: Any = 2) -> Any:
    """A product of matrices, of axes that are brought side by side."""
    pairs = tensordot_pairs(a, b, axes)
    of_a, of_b = [i for i, _ in pairs], [j for _, j in pairs]
    free_a, free_b = free_axes(a.ndim, of_a), free_axes(b.ndim, of_b)
    left, right = np.transpose(a, [*free_a, *of_a]), np.transpose(b, [*of_b, *free_b])
    count = math.prod(a.shape[i] for i in of_a)
    rows, columns = left.shape[: len(free_a)], right.shape[len(of_b) :]
    product = left.reshape(math.prod(rows), count) @ right.reshape(count, math.prod(columns))
    return product.reshape((*rows, *columns))


def _einsum(draws: Draws | None, subscripts: str, *operands: Any) -> Any:
    """The sum of the products of all entries, over the letters that the result does not have.

    The factors are multiplied in an order that is drawn: in another, a product of many may overflow on the way.
    """
    terms, result = terms_of(subscripts, operands)
    letters = [*result, *dict.fromkeys(c for term in terms for c in term if c not in result)]
    aligned = [_aligned(x, term, letters) for x, term in zip(operands, terms, strict=True)]
    if math.prod(np.broadcast_shapes(*(x.shape for x in aligned))) > MOST:
        return np.einsum(subscripts, *map(np.array, operands))
    order = range(len(aligned)) if draws is None else draws.permutation(len(aligned))
    product = functools.reduce(operator.mul, [aligned[i] for i in order])
    summed = tuple(range(len(result), len(letters)))
    return np.sum(product, axis=summed) if summed else product


def _aligned(x: Any, term: str, letters: list[str]) -> Any:
    """An operand with an axis for each letter, of size 1 where it lacks the letter."""
    own = "".join(dict.fromkeys(term))
    if own != term:  # its diagonal
        x = np.einsum(f"{term}->{own}", np.array(x)).view(type(x))
    order = [own.index(c) for c in letters if c in own]
    sizes = iter(x.shape[i] for i in order)
    return x.transpose(order).reshape([next(sizes) if c in own else 1 for c in letters])


SPELT_OUT: Mapping[
    Any, Callable[..., Any]
] = {  # each is given the draws of its trial, then what it is called with
    np.linalg.vector_norm: _vector_norm,
    np.tensordot: _tensordot,
    np.einsum: _einsum,
}
