"""Special points of reductions along axes: equal entries in a row, in a column, and over several axes at once.

How often a result is attained is counted for each reduction apart, over all its axes together.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from conformance.case import Array
from conformance.points.constructors import FIRST, INF, LAST, NAN, SHARED, fair, finite
from conformance.points.point import Nature, SpecialPoint

Axes = int | tuple[int, ...]
Of = Callable[..., Any]  # a reduction of NumPy

ROWS = [[2.0, 2.0, 1.0], [1.0, 2.0, 2.0]]
CROSSED = [[1.0, 5.0], [5.0, 1.0]]  # ties over both axes, none along either
# Over the first and the last axis: three of four entries, and two of them.
VOLUME = [[[2.0, 1.0], [1.0, 2.0]], [[2.0, 2.0], [1.0, 2.0]]]
BOTH, OUTER = (0, 1), (0, -1)


def weights_of(is_tied: Array, axis: Axes) -> dict[str, Array]:
    """By convention, how much of its reduction's cotangent each entry receives; an array of the operand's shape."""
    axes = axis if isinstance(axis, tuple) else (axis,)
    ends = tuple(range(-len(axes), 0))
    moved = np.moveaxis(is_tied, axes, ends)
    row = moved.reshape(*moved.shape[: moved.ndim - len(axes)], -1)
    place, count = np.cumsum(row, axis=-1), row.sum(axis=-1, keepdims=True)
    named = {SHARED: row / count, FIRST: row * (place == 1), LAST: row * (place == count)}
    return {name: np.moveaxis(w.reshape(moved.shape), ends, axes).astype(float) for name, w in named.items()}


def _range(is_tied: Array, g: Array, axis: Axes) -> tuple[Array, Array]:
    """The least and the largest gradient of each entry: all of the cotangent where an entry is alone, else any part of it."""
    is_alone = is_tied & (is_tied.sum(axis=axis, keepdims=True) == 1)
    return g * is_alone, g * is_tied


def ties(
    op: str,
    name: str,
    x: Array,
    axis: Axes,
    cotangent: Any,
    *,
    plus: Of,
    minus: Of | None = None,
    **parameters: Any,
) -> SpecialPoint:
    """A reduction whose results, those of `plus` less those of `minus`, several entries attain.

    Each of them has a positive cotangent of its own.
    """
    keepdims = parameters.setdefault("keepdims", False)
    most = plus(x, axis=axis, keepdims=True)
    g = np.reshape(np.asarray(cotangent, float), np.shape(most))
    named = {convention: g * w for convention, w in weights_of(x == most, axis).items()}
    (low, high), total = _range(x == most, g, axis), float(g.sum())
    if minus is not None:
        least = minus(x, axis=axis, keepdims=True)
        less, more = _range(x == least, g, axis)
        low, high, total = low - more, high - less, 0.0
        named = {c: named[c] - g * w for c, w in weights_of(x == least, axis).items()}
    return fair(
        op, name, (x,), ((low, high),), {convention: (gradient,) for convention, gradient in named.items()},
        nature=Nature.TIE, total=total, cotangent=g if keepdims else np.squeeze(g, axis), axis=axis, **parameters,
    )  # fmt: skip


def of_each_form(
    op: str, plus: Of, others: float, *, sign: float = 1.0, minus: Of | None = None, **parameters: Any
) -> tuple[SpecialPoint, ...]:
    """Ties along one axis and over several, which stay in the result or do not; `others` are the entries that are not tied."""
    rows, crossed, volume = (
        np.where(np.equal(x, 1), others, sign * np.array(x)) for x in (ROWS, CROSSED, VOLUME)
    )
    reductions: dict[str, Any] = {"plus": plus, "minus": minus, **parameters}
    return (
        ties(op, "ties-in-rows", rows, -1, [1, 3], **reductions),
        ties(op, "ties-in-columns", rows.T.copy(), 0, [1, 3], keepdims=True, **reductions),
        ties(op, "ties-over-both-axes", crossed, BOTH, 1, **reductions),
        ties(op, "ties-over-both-axes-kept", crossed, BOTH, 1, keepdims=True, **reductions),
        ties(op, "ties-over-two-of-three-axes", volume, OUTER, [1, 3], **reductions),
        ties(op, "ties-over-two-of-three-axes-kept", volume, OUTER, [1, 3], keepdims=True, **reductions),
    )


def _with_minus_infinity(name: str, x: Any, axis: Axes, cotangent: Any, *, keepdims: bool) -> SpecialPoint:
    """A sum of exponentials, one of which is 0 in some rows; the weights are those of softmax."""
    exponentials = np.exp(np.array(x))
    weights = exponentials / exponentials.sum(axis=axis, keepdims=True)
    g = np.reshape(np.array(cotangent, float), exponentials.sum(axis=axis, keepdims=keepdims).shape)
    upstream = g if keepdims else np.expand_dims(g, axis)
    return finite(
        "logsumexp", f"with-minus-infinity-{name}", (x,), (upstream * weights,),
        cotangent=g, axis=axis, keepdims=keepdims,
    )  # fmt: skip


BESIDE_INFINITY = [[-INF, 0.0, 1.0], [1.0, -INF, 0.0]]

POINTS: tuple[SpecialPoint, ...] = (
    _with_minus_infinity("in-rows", BESIDE_INFINITY, -1, [1, -2], keepdims=True),
    _with_minus_infinity("in-columns", BESIDE_INFINITY, 0, [1, -2, 3], keepdims=False),
    _with_minus_infinity("over-both-axes", BESIDE_INFINITY, BOTH, -2, keepdims=False),
    *of_each_form("max", np.max, 1.0),
    *of_each_form("min", np.min, 1.0, sign=-1.0),
    *of_each_form("nanmax", np.nanmax, NAN),
    *of_each_form("nanmin", np.nanmin, NAN),
    *of_each_form("ptp", np.max, 1.0, minus=np.min),
    *of_each_form("vector_norm", np.max, 1.0, ord=INF),
    ties("median", "ties-in-rows", np.array(ROWS), -1, [1, 3], plus=np.median),
    ties("median", "ties-in-columns", np.array(ROWS).T.copy(), 0, [1, 3], plus=np.median, keepdims=True),
)
