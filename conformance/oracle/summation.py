"""Sums in an order of their own: what an engine's order of summation may cost.

NumPy adds up pairwise, whose rounding hardly grows with the number of terms; a plain loop's grows with its square
root, and is right, too (Higham 2002, ch. 4). So every trial of an allowance adds up one by one, in an order
that it draws: the distance between trials is what orders amount to.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from conformance.dtype import HALF, finfo
from conformance.oracle.draws import Draws

Array = np.ndarray[Any, Any]

FEW = 8  # terms, whose order matters less than the factor on every distance allows
ADDING = (np.add, np.matmul, np.vecdot, np.multiply)  # what may have a sum or a product of many in it
MOST = 4096  # terms of a product of matrices that are added up by a loop


def in_any_order(
    ufunc: np.ufunc,
    method: str,
    operands: Sequence[Any],
    keywords: Mapping[str, Any],
    dtype: str,
    draws: Draws,
) -> Array | None:
    """The sums, or products of matrices, of a call, added up one by one in an order that is drawn.

    There is no number where another order overflows. None where the call adds nothing up, few terms, or numbers of half
    precision, which engines add up in a wider type.
    """
    if ufunc is np.vecdot and keywords.keys() == {"axis"}:
        operands, keywords = [np.moveaxis(x, keywords["axis"], -1) for x in operands], {}
    own = None
    if dtype not in HALF and _adds_up(ufunc, method, operands, keywords):
        is_sum = ufunc is np.add
        own = (
            _sum(operands[0], keywords, draws) if is_sum else _product(ufunc, operands[0], operands[1], draws)
        )
    lost = (_product_lost if ufunc is np.multiply else _lost_on_the_way)(
        ufunc, method, operands, keywords, dtype
    )
    if lost is None:
        return own
    summed = getattr(ufunc, method)(*operands, **keywords) if own is None else own
    return np.where(lost, np.asarray(np.nan, np.asarray(summed).dtype), summed)


def _lost_on_the_way(
    ufunc: np.ufunc, method: str, operands: Sequence[Any], keywords: Mapping[str, Any], dtype: str
) -> Array | None:
    """Where the sums, running ones too, or products of matrices, of a call overflow in the worst of all orders, though they are finite.

    That order comes by the sum of all terms of one sign: half of the sum of their sizes and the size of their sum. The
    few orders that are drawn seldom meet it. None where no order overflows.
    """
    is_running = ufunc is np.add and method == "accumulate"  # which engines add up in parts, too
    if not (is_running or _adds_up(ufunc, method, operands, keywords)):
        return None
    if not all(x.size and x.ndim and x.dtype.kind in "fc" for x in operands):
        return None
    largest, sizes = float(finfo(dtype).max), [np.abs(x) for x in operands]
    count = operands[0].size if ufunc is np.add else operands[0].shape[-1]
    if count * math.prod(float(x.max()) for x in sizes) <= largest:
        return None
    of_sizes, of_terms = (
        getattr(ufunc, method)(*[x.astype(np.result_type(x, np.longdouble)) for x in of], **keywords)
        for of in (sizes, operands)
    )
    is_lost = np.isfinite(of_sizes) & (of_sizes + np.abs(of_terms) > 2 * np.longdouble(largest))
    return is_lost if is_lost.any() else None


def _product_lost(
    ufunc: np.ufunc, method: str, operands: Sequence[Any], keywords: Mapping[str, Any], dtype: str
) -> Array | None:
    """Where a product of many, or a running one, overflows or vanishes in the worst of all orders, though it does neither.

    That order comes by the product of all factors above 1, or of all below.
    """
    if method not in ("reduce", "accumulate") or not operands[0].size or operands[0].dtype.kind not in "fc":
        return None
    limits, sizes = finfo(dtype), np.abs(operands[0])
    exponents = np.abs(np.log2(np.where(np.isfinite(sizes) & (sizes > 0), sizes, 1)))
    if float(exponents.sum()) < -int(limits.minexp):
        return None
    wide = sizes.astype(np.longdouble)
    above, below, whole = (
        getattr(ufunc, method)(x, **keywords) for x in (np.maximum(wide, 1), np.minimum(wide, 1), wide)
    )
    largest, least = float(limits.max), float(limits.smallest_normal)
    # A zero that is perturbed is the least number there is, and its product is none that was lost.
    is_lost = ((above > largest) | (below < least)) & (least <= whole) & (whole <= largest)
    return is_lost if is_lost.any() else None


def _adds_up(ufunc: np.ufunc, method: str, operands: Sequence[Any], keywords: Mapping[str, Any]) -> bool:
    """Whether it is a sum of floating point numbers, or a product of matrices of them."""
    is_sum = ufunc is np.add and method == "reduce"
    is_product = ufunc in (np.matmul, np.vecdot) and method == "__call__" and not keywords
    return (is_sum or is_product) and all(np.asarray(x).dtype.kind in "fc" for x in operands)


def _sum(x: Array, keywords: Mapping[str, Any], draws: Draws) -> Array | None:
    is_plain = keywords.get("where", True) is True and keywords.get("initial") is None
    if not is_plain or keywords.get("dtype") is not None:
        return None
    axes = _axes(x.ndim, keywords.get("axis", 0))
    free = [a for a in range(x.ndim) if a not in axes]
    terms = np.transpose(x, (*axes, *free)).reshape(-1, *(x.shape[a] for a in free)) if x.size else x
    if not axes or not x.size or len(terms) <= FEW:
        return None
    total = draws.total(terms)
    if keywords.get("keepdims"):
        return np.asarray(total.reshape([1 if a in axes else n for a, n in enumerate(x.shape)]))
    return np.asarray(total)


def _axes(ndim: int, axis: Any) -> tuple[int, ...]:
    named = range(ndim) if axis is None else axis if isinstance(axis, tuple) else (axis,)
    return tuple(a % ndim for a in named)


def _product(ufunc: np.ufunc, a: Array, b: Array, draws: Draws) -> Array | None:
    count = a.shape[-1] if a.ndim else 0
    if not FEW < count <= MOST:
        return None
    if ufunc is np.vecdot:
        return _sum(np.conj(a) * b, {"axis": -1}, draws)
    left, right = a if a.ndim > 1 else a[None, :], b if b.ndim > 1 else b[:, None]
    total: Any = 0.0
    for k in draws.permutation(count):
        total = total + left[..., :, k, None] * right[..., k, None, :]
    missing = [axis for axis, x in ((-2, a), (-1, b)) if x.ndim == 1]
    return np.asarray(np.squeeze(total, axis=tuple(missing)))
