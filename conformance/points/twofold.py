"""Special points of reductions with two results, each of which has a cotangent of ones."""

from __future__ import annotations

import math
from typing import Any

from conformance.points.constructors import FIRST, LAST, NAN, SHARED, ZERO, border, fair, limit, slopes
from conformance.points.point import Nature, SpecialPoint

WHOLE: dict[str, Any] = {"axis": None, "keepdims": False}
CORRECTED: dict[str, Any] = {"correction": 1, **WHOLE}
STEEPEST = math.sqrt(0.5) / 2  # of the deviation of two entries, by either of them


POINTS: tuple[SpecialPoint, ...] = (
    limit("var_mean", "equal", ([2.0, 2.0],), ([0.5, 0.5],), **CORRECTED),
    limit("var_mean", "single", ([3.0],), ([1],), correction=0, **WHOLE),
    border("var_mean", "single-correction-1", ([3.0],), slopes("nan", "one"), **CORRECTED),
    fair("std_mean", "equal-2-correction-0", ([2.0, 2.0],), ((0, 1),), {ZERO: ([0.5, 0.5],)}, total=1.0, correction=0, **WHOLE),
    limit("std_mean", "single", ([3.0],), ([1],), correction=0, **WHOLE),
    border("std_mean", "single-correction-1", ([3.0],), slopes("nan", "one"), **CORRECTED),
    fair("aminmax", "tie-of-2", ([1.0, 3.0, 1.0, 3.0],), ((0, 1),),
        {SHARED: ([0.5] * 4,), FIRST: ([1, 1, 0, 0],), LAST: ([0, 0, 1, 1],)}, nature=Nature.TIE, total=2.0, **WHOLE),
    limit("aminmax", "single", ([3.0],), ([2],), **WHOLE),
    limit("aminmax", "with-infinities", ([-math.inf, 1.0, math.inf],), ([1, 0, 1],), **WHOLE),
    border("aminmax", "beside-nan", ([1.0, NAN, 2.0],), {
        "all to NaN": ([0, 2, 0],), "nan": (NAN,), "nan to NaN": ([0, NAN, 0],), ZERO: (0.0,)}, **WHOLE),
)  # fmt: skip
