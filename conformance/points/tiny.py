"""Special points whose norms are far below one, and below what engines add to denominators or hold them above.

A row that has no ε adds none, and one that has an ε as its parameter adds that.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from conformance.points.constructors import finite
from conformance.points.point import SpecialPoint

TINY = 2.0**-40  # about 1e-12; its square is a normal number in every full precision
BELOW = 2.0**-60
LINE: dict[str, Any] = {"axis": -1}
WHOLE: dict[str, Any] = {"axis": None, "keepdims": False}
STEPS = np.array([-3.0, -1.0, 1.0, 3.0])  # of mean 0 and variance 5
UPSTREAM = np.array([1.0, 2.0, 4.0, 8.0])
SIMILAR = np.array([True])


def scaled(*entries: float) -> list[float]:
    """The entries, each as much smaller."""
    return [TINY * x for x in entries]


def steep(*slopes: float) -> list[float]:
    """The slopes, each as much larger."""
    return [slope / TINY for slope in slopes]


def normed(op: str, shape: tuple[int, ...], count: int, **parameters: Any) -> SpecialPoint:
    """A layer that gives its entries mean 0 and variance 1, with an ε that is no larger than their variance."""
    units = STEPS / 3  # the root of 5 + 4
    slopes = (UPSTREAM - UPSTREAM.mean() - units * np.mean(units * UPSTREAM)) / 3
    weight, bias = (
        (units * UPSTREAM, UPSTREAM) if count > 1 else ([np.sum(units * UPSTREAM)], [UPSTREAM.sum()])
    )
    return finite(op, "tiny", (np.reshape(TINY * STEPS, shape), np.ones(count), np.zeros(count)),
        (np.reshape(slopes / TINY, shape), weight, bias), cotangent=np.reshape(UPSTREAM, shape), eps=4 * TINY**2, **parameters)  # fmt: skip


POINTS: tuple[SpecialPoint, ...] = (
    finite("cosine_similarity", "first-tiny", (scaled(3, 4), [4.0, -3.0]), (steep(0.16, -0.12), [0.12, 0.16]), **LINE),
    finite("cosine_similarity", "second-tiny", ([3.0, 4.0], scaled(4, -3)), ([0.16, -0.12], steep(0.12, 0.16)), **LINE),
    finite("cosine_similarity", "both-tiny", (scaled(3, 4), scaled(4, -3)), (steep(0.16, -0.12), steep(0.12, 0.16)), **LINE),
    finite("normalize", "tiny", (scaled(3, 4),), (steep(-0.064, 0.048),), cotangent=[1.0, 2.0], p=2.0, eps=BELOW, **LINE),
    finite("normalize", "shorter-than-eps", (scaled(3, 4),), (steep(1 / 8, 1 / 4),), cotangent=[1.0, 2.0], p=2.0, eps=8 * TINY, **LINE),
    # The root of the mean square and ε, (1 + 49)/2 + 11.
    finite("rms_norm", "tiny", (scaled(1, 7), [1.0, 1.0]), (steep(1.875 / 6, 0.125 / 6), [1 / 3, 7 / 6]),
        cotangent=[2.0, 1.0], eps=11 * TINY**2),
    normed("layer_norm", (4,), 4),
    normed("batch_norm", (4, 1), 1),
    normed("group_norm", (1, 1, 4), 1, num_groups=1),
    normed("instance_norm", (1, 1, 4), 1),
    finite("std", "tiny", (TINY * STEPS,), (STEPS / (4 * math.sqrt(5)),), correction=0, **WHOLE),
    finite("var", "tiny", (TINY * STEPS,), (TINY * STEPS / 2,), correction=0, **WHOLE),
    finite("corrcoef", "tiny", (TINY * np.array([[-1.0, 1.0, 1.0, -1.0], [-1.0, -1.0, 1.0, 1.0]]),),
        (1.25 / TINY * np.array([[-1, -1, 1, 1], [-1, 1, 1, -1]]),), cotangent=[[1.0, 2.0], [3.0, 5.0]]),
    finite("vector_norm", "tiny", (scaled(3, 4),), ([0.6, 0.8],), ord=2, **WHOLE),
    finite("pairwise_distance", "tiny", (scaled(3, 0), scaled(0, 4)), ([0.6, -0.8], [-0.6, 0.8]), p=2.0, eps=0.0, keepdims=False),
    finite("cdist", "tiny", ([scaled(3, 0)], [scaled(0, 4)]), ([[0.6, -0.8]], [[-0.6, 0.8]]), p=2.0),
    finite("pdist", "tiny", ([scaled(3, 0), scaled(0, 4)],), ([[0.6, -0.8], [-0.6, 0.8]],), p=2.0),
)  # fmt: skip
