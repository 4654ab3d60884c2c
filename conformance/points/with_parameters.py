"""Special points of windows, bags, tables and integrals: what is beyond an end, and bags of nothing."""

from __future__ import annotations

from typing import Any

import numpy as np

from conformance.points.constructors import border, fair, finite, limit, slopes, tie
from conformance.points.point import SpecialPoint

SIGNAL = ([[[-3.0, -2.0, -1.0]]],)
BEYOND: dict[str, Any] = {"kernel_size": 2, "stride": 2, "padding": 0, "ceil_mode": True}
TABLE, BAGS = [[-1.0, -2.0], [-3.0, -4.0]], np.array([[0, 0], [1, 0]])
WHOLE: dict[str, Any] = {"axis": None, "keepdims": False}
LINES: dict[str, Any] = {"xp": [-2.0, -0.5, 0.25, 1.5], "left": None, "right": None}
VALUES = [0.0, 3.0, 0.0, 1.0]
AT_SECOND = [0, 1, 0, 0]

POINTS: tuple[SpecialPoint, ...] = (
    limit("max_pool1d", "beyond-the-end", SIGNAL, ([[[0, 1, 1]]],), dilation=1, **BEYOND),
    *(limit("avg_pool1d", f"beyond-the-end-{name}", SIGNAL, ([[[0.5, 0.5, 1]]],), count_include_pad=counts, **BEYOND)
      for name, counts in (("counted", True), ("not-counted", False))),
    *(limit("embedding_bag", f"bag-of-padding-{mode}", (TABLE, BAGS), ([[0, 0], [1, 1]], None), mode=mode, padding_idx=0)
      for mode in ("sum", "mean", "max")),
    tie("quantile", "tie-of-the-lower", [1.0, 2.0, 2.0], [1, 2], q=0.75, method="lower", **WHOLE),
    limit("standardize", "equal", ([2.0, 2.0, 2.0],), ([-2, 0, 2],), cotangent=[1.0, 2.0, 3.0], axis=(-1,), eps=0.25),
    limit("interp", "before-the-first", (-5.0, VALUES), (0, [1, 0, 0, 0]), **LINES),
    limit("interp", "behind-the-last", (5.0, VALUES), (0, [0, 0, 0, 1]), **LINES),
    limit("interp", "behind-the-last-a-number", (5.0, VALUES), (0, [0, 0, 0, 0]), **{**LINES, "right": 2.0}),
    fair("interp", "at-a-point", (-0.5, VALUES), ((-4, 2), (AT_SECOND, AT_SECOND)),
        {"left": (2, AT_SECOND), "right": (-4, AT_SECOND), "mean": (-1, AT_SECOND)}, **LINES),
    limit("modf", "at-0", (0.0,), (1,)),
    border("modf", "at-1", (1.0,), slopes("one", "zero", "nan")),
    finite("exp1", "at-1000", (1000.0,), (0,)),
    border("exp1", "at-0", (0.0,), slopes("minus infinite", "nan", "zero")),
    border("expi", "at-0", (0.0,), slopes("infinite", "nan", "zero")),
)  # fmt: skip
