"""Special points of losses with a margin: differences that are exactly the margin."""

from __future__ import annotations

from typing import Any

import numpy as np

from conformance.points.constructors import ZERO, fair, finite, kink, limit
from conformance.points.point import SpecialPoint

SUM: dict[str, Any] = {"reduction": "sum"}
FIRST = np.array([0])
TWO_SCORES = ([[2.0, 1.0]], FIRST)  # whose difference is the margin
COUNTED = "counted"  # as where the loss is positive

POINTS: tuple[SpecialPoint, ...] = (
    fair("margin_ranking", "at-the-margin", (1.0, 0.5, np.array(True)), ((-1, 0), (0, 1), None),
        {ZERO: (0.0, 0.0, None), COUNTED: (-1.0, 1.0, None)}, total=0.0, margin=0.5, **SUM),
    kink("hinge_embedding", "at-the-margin", (1.0, np.array(False)), (-1.0, 0.0), None, margin=1.0, **SUM),
    limit("hinge_embedding", "similar-at-the-margin", (1.0, np.array(True)), (1, None), margin=1.0, **SUM),
    fair("triplet_margin", "at-the-margin", ([[0.0]], [[1.0]], [[2.0]]), ((0, 0), (0, 1), (-1, 0)),
        {ZERO: (0.0, 0.0, 0.0), COUNTED: (0.0, 1.0, -1.0)}, total=0.0, margin=1.0, p=2.0, eps=0.0, **SUM),
    fair("multi_margin", "at-the-margin", TWO_SCORES, (([[-0.5, 0]], [[0, 0.5]]), None),
        {ZERO: (0.0, None), COUNTED: ([[-0.5, 0.5]], None)}, total=0.0, p=1, margin=1.0, weight=None, **SUM),
    limit("multi_margin", "square-at-the-margin", TWO_SCORES, (0, None), p=2, margin=1.0, weight=None, **SUM),
    fair("multilabel_margin", "at-the-margin", ([[2.0, 1.0]],), (([[-0.5, 0]], [[0, 0.5]]),),
        {ZERO: (0.0,), COUNTED: ([[-0.5, 0.5]],)}, total=0.0, targets=[[0, -1]], **SUM),
    limit("multilabel_margin", "beyond-the-margin", ([[3.0, 1.0, 2.5, -2.0]],), ([[-0.25, 0, 0.25, 0]],), targets=[[0, -1, 1, 2]], **SUM),
    limit("multilabel_margin", "two-labels", ([[3.0, 1.0, 2.5, -2.0]],), ([[-0.25, -0.25, 0.5, 0]],), targets=[[1, 0, -1, 2]], **SUM),
    limit("multilabel_margin", "no-label", ([[3.0, 1.0]],), (0,), targets=[[-1, 0]], **SUM),
    limit("multilabel_margin", "all-labels", ([[3.0, 1.0]],), (0,), targets=[[1, 0]], **SUM),
    finite("multilabel_soft_margin", "at-1000", ([[1000.0, -1000.0]], [[1.0, 0.0]]), (0, [[-500, 500]]), **SUM),
    finite("multilabel_soft_margin", "at-1000-wrong", ([[1000.0, -1000.0]], [[0.0, 1.0]]),
        ([[0.5, -0.5]], [[-500, 500]]), **SUM),
)  # fmt: skip
