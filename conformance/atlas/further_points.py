"""Points where no gradient is right or wrong, so that a run asks nothing: NaN operands, even medians, triangles."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from conformance.ops import find
from conformance.ops.names import CHOLESKY, MAX, MAXIMUM, MEDIAN, MIN, MINIMUM, SORT
from conformance.points.constructors import NAN, border
from conformance.points.point import SpecialPoint

WHOLE: dict[str, Any] = {"axis": None, "keepdims": False}
AMONG = {
    "at the NaN": ([0, 1, 0],),
    "passes it by": ([0, 0, 1],),
    "zero": ([0, 0, 0],),
    "nan": ([NAN, NAN, NAN],),
}
BESIDE: Mapping[str, Any] = {
    "at the NaN": (1.0, 0.0),
    "passes it by": (0.0, 1.0),
    "shared equally": (0.5, 0.5),
    "zero": (0.0, 0.0),
    "nan": (NAN, NAN),
}
MIDDLES = {
    "lower middle": ([0, 1, 0, 0],),
    "both middles": ([0, 0.5, 0.5, 0],),
    "upper middle": ([0, 0, 1, 0],),
}
FACTOR, UPSTREAM = [[4.0, 2.0], [2.0, 5.0]], [[1.0, 0.0], [1.0, 1.0]]


def triangles() -> dict[str, Any]:
    """The gradient of a Cholesky factor with respect to a symmetric matrix, and to its lower triangle alone."""
    x = np.array(FACTOR)
    whole = find(CHOLESKY).rule(0, np.array(UPSTREAM), np.linalg.cholesky(x), x)
    return {"symmetric": (whole,), "lower triangle": (np.tril(2 * whole) - np.diag(np.diag(whole)),)}


FURTHER_POINTS: tuple[SpecialPoint, ...] = (
    *(border(op, "with-nan", ([1.0, NAN, least],), AMONG, **WHOLE) for op, least in ((MAX, 3.0), (MIN, 0.0))),
    *(border(op, "of-nan-and-1", (NAN, 1.0), BESIDE) for op in (MAXIMUM, MINIMUM)),
    border(MEDIAN, "with-nan", ([1.0, NAN, 3.0],), {**AMONG, "first": ([1, 0, 0],)}, **WHOLE),
    border(MEDIAN, "of-4-entries", ([1.0, 2.0, 4.0, 8.0],), MIDDLES, **WHOLE),
    border(SORT, "with-nan", ([3.0, NAN, 1.0],), {"NaN last": ([2, 3, 1],), "NaN first": ([3, 1, 2],)},
        cotangent=[1, 2, 3], axis=-1),
    border(CHOLESKY, "of-a-symmetric-matrix", (FACTOR,), triangles(), cotangent=UPSTREAM),
    border(CHOLESKY, "of-unequal-triangles", ([[4.0, 6.0], [2.0, 10.0]],), {}, cotangent=UPSTREAM),
)  # fmt: skip
