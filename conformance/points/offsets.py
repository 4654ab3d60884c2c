"""Special points far from the origin and close to each other: what depends on differences alone.

The entries are a few whole numbers beside a large one. Their differences and means are exact, also where a mean is updated
entry by entry; their squares are not. So a variance that is the mean of the squares less the square of the mean (Chan,
Golub and LeVeque 1983) has no right digit, and neither has a distance by |x|² + |y|² − 2 x·y.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from conformance.case import Array
from conformance.points.constructors import NAN, fair, valued
from conformance.points.point import Extremes, Nature, SpecialPoint, Values

WHOLE: dict[str, Any] = {"axis": None, "keepdims": False}
STEPS = np.array([-3.0, -1.0, 1.0, 3.0])  # of mean 0 and variance 5
ACROSS = np.array([1.0, -2.0, 1.0, 0.0])  # uncorrelated with the steps; of variance 6/4
WITH_NAN = np.array([-3.0, -1.0, NAN, 1.0, 3.0])
WEIGHTS = np.array([[1.0, 2.0], [3.0, 5.0]])  # upstream, of two rows beside each other
UPSTREAM = np.array([1.0, 2.0, 4.0, 8.0])
MANY = 33
RISING = 1 + np.arange(MANY, dtype=float)[:, None] / 8  # upstream, of each row another
# How far rounding the operands once moves their differences, and so the gradient, with some to spare.
SLACK = 2.0**-9


def far(
    op: str,
    operands: Callable[[float], Values],
    *gradients: Any,
    cotangent: Any = None,
    where: str = "far-from-0",
    **parameters: Any,
) -> tuple[SpecialPoint, ...]:
    """The operands at an offset, and the gradients, which do not depend on it; then the value in every dtype."""

    def given(extremes: Extremes) -> Values:
        return operands(extremes.offset)

    within = tuple(_around(np.asarray(g, float)) for g in gradients)
    return (
        fair(op, where, given, within, {}, nature=Nature.FINITE, cotangent=cotangent, **parameters),
        valued(op, f"value-{where}", given, **parameters),
    )


def _around(gradient: Array) -> tuple[Array, Array]:
    width = SLACK * np.nanmax(np.abs(gradient))
    return gradient - width, gradient + width


def spreads(op: str, steps: Array, *, is_root: bool) -> tuple[SpecialPoint, ...]:
    """A variance, or its root."""
    slopes = np.nan_to_num(steps) / (2 * math.sqrt(5.0)) if is_root else np.nan_to_num(steps)
    return far(op, lambda offset: (offset + steps,), slopes / 2, correction=0, **WHOLE)


def normed(op: str, shape: tuple[int, ...], axis: int, **parameters: Any) -> tuple[SpecialPoint, ...]:
    """A layer that gives its entries mean 0 and variance 1: here the root of 5 + 4."""
    count = shape[axis] if axis == -1 else 1
    x, g, units = (np.reshape(v, shape) for v in (STEPS, UPSTREAM, STEPS / 3))
    scale = (np.ones(count), np.zeros(count))
    weight, bias = (units * g, g) if count > 1 else ([np.sum(units * g)], [np.sum(g)])
    return far(op, lambda offset: (offset + x, *scale), (g - g.mean() - units * np.mean(units * g)) / 3,
        np.reshape(weight, count), np.reshape(bias, count), cotangent=g, eps=4.0, **parameters)  # fmt: skip


def evaluated() -> tuple[SpecialPoint, ...]:
    """A layer of given statistics, whose mean every precision has, as it has the entries beside it."""
    mean, g = 250.0, UPSTREAM[:, None]
    return far("batch_norm_with_statistics", lambda offset: (mean + STEPS[:, None], [1.0], [0.0]), g / 3,
        [np.sum(STEPS / 3 * UPSTREAM)], [UPSTREAM.sum()], cotangent=g, mean=(mean,), variance=(5.0,), eps=4.0)  # fmt: skip


def alone(op: str, shape: tuple[int, ...], **parameters: Any) -> tuple[SpecialPoint, ...]:
    """A layer that gives one entry mean 0: whatever the entry, what is left of it is 0, and no rounding."""
    scale = (np.array([2.0]), np.array([3.0]))
    g = np.full(shape, 5.0)
    return far(op, lambda offset: (np.full(shape, offset + 1 / 3), *scale), np.zeros(shape), [0.0], [g.sum()],
        cotangent=g, where="one-entry-far-from-0", eps=1 / 3, **parameters)  # fmt: skip


def on_a_line(offset: float) -> Values:
    """Rows at steps of (-3, 4): whole numbers of fives lie between any two."""
    return (offset + np.arange(MANY)[:, None] * np.array([-3.0, 4.0]),)


def beside_each_other() -> Array:
    """The gradient where each row, but the last, has a distance upstream to one other row, which is beside it."""
    upstream = RISING[: MANY - 1 : 2, 0]
    pairs = np.stack([upstream, -upstream], axis=1).ravel()
    gradient: Array = np.append(pairs, 0.0)[:, None] * np.array([[0.6, -0.8]])
    return gradient


# Upstream of the distances of rows 0 and 1, 2 and 3, and so on; of the others 0.
FIRSTS, SECONDS = np.triu_indices(MANY, 1)
OF_NEIGHBOURS = np.where((SECONDS == FIRSTS + 1) & (FIRSTS % 2 == 0), RISING[FIRSTS, 0], 0.0)
SYMMETRIC = WEIGHTS + WEIGHTS.T
POINTS: tuple[SpecialPoint, ...] = (
    *spreads("var", STEPS, is_root=False),
    *spreads("std", STEPS, is_root=True),
    *spreads("nanvar", WITH_NAN, is_root=False),
    *spreads("nanstd", WITH_NAN, is_root=True),
    *far("cov", lambda offset: (offset + np.stack([STEPS, ACROSS]),), SYMMETRIC @ np.stack([STEPS, ACROSS]) / 4,
        cotangent=WEIGHTS, correction=0),
    # Uncorrelated: each row's gradient is along the other, ACROSS of length √6 and STEPS of length √20.
    *far("corrcoef", lambda offset: (offset + np.stack([STEPS, ACROSS]),),
        SYMMETRIC[0, 1] / math.sqrt(6 * 20) * np.stack([ACROSS, STEPS]), cotangent=WEIGHTS),
    *normed("layer_norm", (1, 4), -1),
    *normed("batch_norm", (4, 1), 0),
    *evaluated(),
    *normed("group_norm", (1, 1, 4), 1, num_groups=1),
    *normed("instance_norm", (1, 1, 4), 1),
    *alone("layer_norm", (1, 1)),
    *alone("group_norm", (2, 1, 1), num_groups=1),
    *far("cdist", lambda offset: ([[offset, offset]], [[offset - 3, offset + 4]]), [[0.6, -0.8]], [[-0.6, 0.8]], p=2.0),
    # An engine may change its formula where there are many rows.
    *far("cdist", lambda offset: ([[offset, offset]] * MANY, [[offset - 3, offset + 4]]), RISING * [[0.6, -0.8]],
        RISING.sum() * np.array([[-0.6, 0.8]]), cotangent=RISING, p=2.0, where="many-far-from-0"),
    *far("pdist", lambda offset: ([[offset, offset], [offset - 3, offset + 4]],), [[0.6, -0.8], [-0.6, 0.8]], p=2.0),
    *far("pdist", on_a_line, beside_each_other(), cotangent=OF_NEIGHBOURS, p=2.0, where="many-far-from-0"),
    *far("pairwise_distance", lambda offset: ([offset, offset], [offset - 3, offset + 4]), [0.6, -0.8], [-0.6, 0.8],
        p=2.0, eps=0.0, keepdims=False),
)  # fmt: skip
