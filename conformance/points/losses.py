"""Special points of the losses: exact predictions, thresholds, and certain predictions."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from conformance.points.constructors import INF, NAN, border, fair, finite, limit
from conformance.points.point import SpecialPoint

SUM: dict[str, Any] = {"reduction": "sum"}
SECOND = np.array([1])
# A mean of two targets, all of which may be left out.
MEAN_OF_TWO: dict[str, Any] = {"weight": (0.5, 3.0), "ignore_index": 1, "reduction": "mean"}
TWO_ROWS, IGNORED = [[2.0, 2.0], [3.0, 3.0]], np.array([1, 1])

# One label, which three alignments with two steps spell; or two, where the blank is impossible at the first step.
CTC: dict[str, Any] = {"input_lengths": [2], "target_lengths": [1], "reduction": "sum"}
LABEL, HALF, THIRD = np.array([[1]]), math.log(0.5), 1 / 3

POINTS: tuple[SpecialPoint, ...] = (
    limit("ctc", "equal", ([[[HALF, HALF]], [[HALF, HALF]]], LABEL), ([[[-THIRD, -2 * THIRD]], [[-THIRD, -2 * THIRD]]], None), **CTC),
    limit("ctc_with_logits", "equal", ([[[2.0, 2.0]], [[3.0, 3.0]]], LABEL), ([[[1 / 6, -1 / 6]], [[1 / 6, -1 / 6]]], None), **CTC),
    finite("ctc", "impossible-blank", ([[[-INF, -1.0, -1.0]], [[-1.0, -1.0, -1.0]]], LABEL),
        ([[[0, -1, 0]], [[-0.5, -0.5, 0]]], None), **CTC),
    finite("ctc_with_logits", "impossible-blank", ([[[-INF, 0.0, 0.0]], [[0.0, 0.0, 0.0]]], LABEL),
        ([[[0, -0.5, 0.5]], [[-1 / 6, -1 / 6, THIRD]]], None), **CTC),
    limit("mse", "hit", (2.0, 2.0), (0, 0), **SUM),
    fair("l1", "hit", (2.0, 2.0), ((-1, 1), (-1, 1)),
        {"zero": (0.0, 0.0), "right": (1.0, -1.0), "left": (-1.0, 1.0)}, total=0.0, **SUM),
    limit("huber", "hit", (2.0, 2.0), (0, 0), delta=0.5, **SUM),
    limit("huber", "at-delta", (2.5, 2.0), (0.5, -0.5), delta=0.5, **SUM),
    limit("huber", "at-minus-delta", (1.5, 2.0), (-0.5, 0.5), delta=0.5, **SUM),
    limit("smooth_l1", "hit", (2.0, 2.0), (0, 0), beta=0.5, **SUM),
    limit("smooth_l1", "at-beta", (2.5, 2.0), (1, -1), beta=0.5, **SUM),
    limit("log_cosh", "hit", (2.0, 2.0), (0, 0), **SUM),
    finite("log_cosh", "at-1000", (1000.0, 0.0), (1, -1), **SUM),
    finite("huber", "huge", lambda e: (e.huge, 0.0), (0.5, -0.5), delta=0.5, **SUM),
    limit("binary_cross_entropy", "certain-and-right-at-0", (0.0, 0.0), (1, None), **SUM),
    limit("binary_cross_entropy", "certain-and-right-at-1", (1.0, 1.0), (-1, None), **SUM),
    border("binary_cross_entropy", "certain-and-wrong", (0.0, 1.0), {
        "infinite": (-INF, None), "nan": (NAN, None), "bounded": (-1e12, None), "zero": (0.0, None)}, **SUM),
    finite("binary_cross_entropy_with_logits", "at-1000", (1000.0, 1.0), (0, -1000), **SUM),
    finite("binary_cross_entropy_with_logits", "at-minus-1000", (-1000.0, 1.0), (-1, 1000), **SUM),
    finite("binary_cross_entropy_with_logits", "at-huge", lambda e: (e.huge, 0.0), lambda e: (1, -e.huge),
        **SUM),
    limit("kl_div", "of-nothing", (-1.0, 0.0), (0, None), **SUM),
    border("kl_div", "of-nothing-in-the-target", (-1.0, 0.0), {
        "minus infinite": (None, -INF), "zero": (None, 0.0), "nan": (None, NAN)}, **SUM),
    finite("poisson_nll", "at-minus-1000", (-1000.0, 2.0), (-2, 1000), **SUM),
    finite("gaussian_nll", "hit", (2.0, 2.0, 0.5), (0, 0, 1), **SUM),
    finite("soft_margin", "at-1000", (1000.0, 1.0), (0, 0), **SUM),
    finite("soft_margin", "at-minus-1000", (-1000.0, 1.0), (-1, 1000), **SUM),
    finite("cross_entropy", "certain-and-right", ([[-1000.0, 1000.0]], SECOND), ([[0, 0]], None), **SUM),
    finite("cross_entropy", "certain-and-wrong", ([[1000.0, -1000.0]], SECOND), ([[1, -1]], None), **SUM),
    finite("cross_entropy", "excluded-class", ([[-INF, 0.0, 0.0]], SECOND), ([[0, -0.5, 0.5]], None), **SUM),
    limit("cross_entropy", "equal", ([[2.0, 2.0]], SECOND), ([[0.5, -0.5]], None), **SUM),
    limit("cross_entropy", "single-class", ([[2.0]], np.array([0])), ([[0]], None), **SUM),
    limit("weighted_nll", "one-ignored", (TWO_ROWS, np.array([0, 1])), ([[-1, 0], [0, 0]], None), **MEAN_OF_TWO),
    limit("weighted_cross_entropy", "one-ignored", (TWO_ROWS, np.array([0, 1])), ([[-0.5, 0.5], [0, 0]], None),
        label_smoothing=0.0, **MEAN_OF_TWO),
    limit("weighted_cross_entropy", "ignored-below-0", (TWO_ROWS, np.array([0, -100])),
        ([[-0.5, 0.5], [0, 0]], None), label_smoothing=0.0, **{**MEAN_OF_TWO, "ignore_index": -100}),
    border("weighted_nll", "all-ignored", (TWO_ROWS, IGNORED), {"nan": (NAN, None), "zero": (0.0, None)},
        **MEAN_OF_TWO),
    border("weighted_cross_entropy", "all-ignored", (TWO_ROWS, IGNORED), {"nan": (NAN, None), "zero": (0.0, None)},
        label_smoothing=0.0, **MEAN_OF_TWO),
)  # fmt: skip
