"""Special points of layers: grids that sample images at pixels and at ends, attention to equal keys, vectors without a length."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np

from conformance.points.constructors import (
    INF,
    LEFT,
    MIDDLE,
    NAN,
    RIGHT,
    ZERO,
    border,
    fair,
    finite,
    limit,
)
from conformance.points.point import SpecialPoint
from conformance.points.reductions import BESIDE_2

ROW = [[[[3.0, 2.0, 4.0]]]]  # an image of one row
CENTRE, END, FAR_END = [[[[0.0, 0.0]]]], [[[[-1.0, 0.0]]]], [[[[1.0, 0.0]]]]  # places in it
AT_CENTRE, AT_END = [[[[0.0, 1.0, 0.0]]]], [[[[1.0, 0.0, 0.0]]]]  # the image's gradients there
AT_FAR_END = [[[[0.0, 0.0, 1.0]]]]
# A query of 0, two keys and their values; the gradients where it sees both.
ATTENDED: tuple[Any, ...] = ([[0.0]], [[1.0], [3.0]], [[2.0], [4.0]])
UNSCALED: tuple[Any, ...] = ([[1]], [[0], [0]], [[0.5], [0.5]])

SPREAD = [[0.0, 0.0, 3.0]]  # of variance 2, and the gradient of its first entry without the mean
OF_SPREAD = 1 / math.sqrt(8)
ORDERS = {"1": 1.0, "2": 2.0, **BESIDE_2}  # of norms


def sampled(name: str, padding_mode: str, place: Any, pixel: Any, left: float, right: float) -> SpecialPoint:
    """A place of the row at which the slope jumps; along the column there is none."""
    slopes = {LEFT: left, RIGHT: right, MIDDLE: (left + right) / 2}
    if min(left, right) <= 0 <= max(left, right):
        slopes = {ZERO: 0.0, **slopes}
    return fair("grid_sample", name, (ROW, place),
        ((pixel, pixel), ([[[[min(left, right), 0.0]]]], [[[[max(left, right), 0.0]]]])),
        {convention: (pixel, [[[[slope, 0.0]]]]) for convention, slope in slopes.items()},
        mode="bilinear", padding_mode=padding_mode, align_corners=True)  # fmt: skip


def mirrored(folds: int, place: float) -> SpecialPoint:
    """A place beyond the row, mirrored so many times, where the slope is that of its image, negated for an odd number."""
    image = 0.5  # three quarters of the way: a quarter of the middle pixel, three quarters of the last
    slope = (-1.0) ** folds * 1.5 * 2.0  # of a row of three pixels, whose last two differ by 2
    name = f"mirrored-{'once' if folds == 1 else 'twice'}-{'right' if place > image else 'left'}"
    return limit("grid_sample", name, (ROW, [[[[place, 0.0]]]]), ([[[[0.0, 0.25, 0.75]]]], [[[[slope, 0.0]]]]),
        mode="bilinear", padding_mode="reflection", align_corners=False)  # fmt: skip


def without_keys(
    op: str, operands: Any, conventions: dict[str, Any], *, also: Any, **parameters: Any
) -> SpecialPoint:
    """A query that may see no key: the reference divides zero by zero there, and engines say otherwise."""
    return replace(border(op, "no-key-left", operands, conventions, scale=1.0, **parameters), also=also)


def nearest(before: int, after: int) -> SpecialPoint:
    """New samples of which some stand exactly on old ones: a scale that is rounded puts them beside."""
    places = np.arange(after) * before // after
    upstream = 1 + np.arange(after) % 5
    taken = np.bincount(places, weights=upstream, minlength=before)
    return limit("interpolate", f"nearest-{after}-of-{before}", (np.arange(before, dtype=float)[None, None] / 4,),
        (taken[None, None],), cotangent=upstream[None, None], size=(after,), mode="nearest", align_corners=None)  # fmt: skip


POINTS: tuple[SpecialPoint, ...] = (
    nearest(14, 46),
    nearest(14, 8),
    mirrored(1, 1.5),
    mirrored(2, 4.5),
    mirrored(1, -2.5),
    mirrored(2, -3.5),
    sampled("at-a-pixel", "zeros", CENTRE, AT_CENTRE, -1.0, 2.0),
    sampled("at-the-end-before-zeros", "zeros", END, AT_END, 3.0, -1.0),
    sampled("at-the-end-before-the-margin", "border", END, AT_END, 0.0, -1.0),
    sampled("at-the-end-before-the-mirror", "reflection", END, AT_END, 1.0, -1.0),
    sampled("at-the-far-end-before-zeros", "zeros", FAR_END, AT_FAR_END, 2.0, -4.0),
    sampled("at-the-far-end-before-the-margin", "border", FAR_END, AT_FAR_END, 2.0, 0.0),
    sampled("at-the-far-end-before-the-mirror", "reflection", FAR_END, AT_FAR_END, 2.0, -2.0),
    limit("biased_attention", "equal-scores", (*ATTENDED, [[2.0, 2.0]]), (*UNSCALED, [[-0.5, 0.5]]), scale=1.0),
    finite("biased_attention", "excluded-key", (*ATTENDED, [[0.0, -INF]]), ([[0]], [[0], [0]], [[1], [0]], [[0, 0]]), scale=1.0),
    limit("masked_attention", "equal-scores", ATTENDED, UNSCALED, mask=[[True, True]], scale=1.0),
    limit("masked_attention", "single-key", ATTENDED, ([[0]], [[0], [0]], [[0], [1]]), mask=[[False, True]], scale=1.0),
    without_keys("masked_attention", ATTENDED, {"zero": (0,) * 3, "nan": (NAN,) * 3, "mean of the values": (0, 0, 0.5)},
        also=([[0.0]], [[3.0]]), mask=[[False, False]]),
    without_keys("biased_attention", (*ATTENDED, [[-INF, -INF]]), {"zero": (0,) * 4, "nan": (NAN,) * 4},
        also=([[0.0]],)),
    # Nothing is added to a variance: 0 is a number like any other, and not the absence of one.
    limit("layer_norm", "without-eps", (SPREAD, [1.0, 1.0, 1.0], [0.0, 0.0, 0.0]),
        ([[OF_SPREAD, -OF_SPREAD, 0]], [-2 * OF_SPREAD, 0, 0], [1, 0, 0]), cotangent=[[1.0, 0.0, 0.0]], eps=0.0),
    limit("batch_norm", "without-eps", (np.transpose(SPREAD), [1.0], [0.0]),
        ([[OF_SPREAD], [-OF_SPREAD], [0]], [-2 * OF_SPREAD], [1]), cotangent=[[1.0], [0.0], [0.0]], eps=0.0),
    limit("batch_norm_with_statistics", "without-eps", (np.transpose(SPREAD), [1.0], [0.0]),
        ([[0.5], [0], [0]], [-0.5], [1]), cotangent=[[1.0], [0.0], [0.0]], mean=(1.0,), variance=(4.0,), eps=0.0),
    limit("batch_norm_with_statistics", "variance-of-0", ([[1.0], [3.0]], [2.0], [0.0]), ([[4], [-4]], [-4], [0]),
        cotangent=[[1.0], [-1.0]], mean=(2.0,), variance=(0.0,), eps=0.25),
    limit("instance_norm", "without-eps", ([SPREAD], [1.0], [0.0]),
        ([[[OF_SPREAD, -OF_SPREAD, 0]]], [-2 * OF_SPREAD], [1]), cotangent=[[[1.0, 0.0, 0.0]]], eps=0.0),
    limit("rms_norm", "without-eps", ([[1.0, 7.0]], [1.0, 1.0]), ([[0.196, -0.028]], [0.2, 0]), cotangent=[[1.0, 0.0]], eps=0.0),
    limit("normalize", "at-0", ([0.0, 0.0],), ([2, 2],), p=2.0, axis=-1, eps=0.5),
    # Whatever the slope of its own size is, the entry that is 0 has the one over the length.
    *(limit("normalize", f"with-a-0-p-{name}", ([0.0, 2.0],), ([0.5, 0],), cotangent=[1.0, 0.0], p=p, axis=-1, eps=0.5)
      for name, p in ORDERS.items()),
    *(limit("pairwise_distance", f"one-equal-coordinate-p-{name}", ([1.0, 2.0], [1.0, 4.0]), ([0, -1], [0, 1]),
        p=p, eps=0.0, keepdims=False) for name, p in ORDERS.items() if p > 1),
)  # fmt: skip
