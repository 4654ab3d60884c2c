"""Special points of ops without a gradient: what is small or no number is not zero, and of equal entries the first is named.

An engine that flushes subnormal numbers counts them as zeros. The Array API standard names the first of equal largest entries.
"""

from __future__ import annotations

from typing import Any

from conformance.points.constructors import INF, NAN, valued
from conformance.points.point import SpecialPoint

WHOLE: dict[str, Any] = {"axis": None, "keepdims": False}
ROWS: dict[str, Any] = {"axis": -1, "keepdims": False}
COLUMNS: dict[str, Any] = {"axis": 0, "keepdims": True}
EQUAL = [
    [2.0, 1.0, 2.0],
    [1.0, 1.0, 2.0],
    [1.0, 2.0, 2.0],
]  # equal largest and smallest entries along either axis

POINTS: tuple[SpecialPoint, ...] = (
    valued("count_nonzero", "subnormal", lambda e: ([e.least, 0.0, -e.least, 1.0],), **WHOLE),
    valued("any", "subnormal", lambda e: ([e.least, 0.0],), **WHOLE),
    valued("all", "subnormal", lambda e: ([e.least, 1.0],), **WHOLE),
    valued("logical_not", "subnormal", lambda e: ([e.least, 0.0, -e.least],)),
    valued("sign", "subnormal", lambda e: ([e.least, 0.0, -e.least],)),
    valued("not_equal", "subnormal-and-0", lambda e: ([e.least, -e.least], [0.0, 0.0])),
    valued("count_nonzero", "nan", ([NAN, 0.0, 1.0],), **WHOLE),
    valued("any", "nan", ([NAN, 0.0],), **WHOLE),
    valued("all", "nan", ([NAN, 1.0],), **WHOLE),
    valued("logical_not", "nan", ([NAN, 0.0],)),
    *(
        point
        for op in ("logical_and", "logical_or", "logical_xor")
        for point in (
            valued(op, "subnormal", lambda e: ([e.least, -e.least, 0.0, 1.0], [0.0, 1.0, e.least, -e.least])),
            valued(op, "nan", ([NAN, NAN, 0.0, 1.0], [0.0, 1.0, NAN, NAN])),
        )
    ),
    # Equal infinities are equal, though their difference is no number; and -0 equals 0.
    *(
        valued(op, f"equal-{name}", operands)
        for op in ("equal", "not_equal", "less", "less_equal", "greater", "greater_equal")
        for name, operands in (
            ("infinities", ([INF, -INF, INF, -INF], [INF, -INF, -INF, INF])),
            ("zeros", ([0.0, -0.0], [-0.0, 0.0])),
        )
    ),
    *(
        valued(op, f"equal-entries-{where}", (x,), **form)
        for op in ("argmax", "argmin")
        for where, x, form in (
            ("of-a-vector", [2.0, 2.0, 1.0, 1.0], WHOLE),
            ("in-rows", EQUAL, ROWS),
            ("in-columns", EQUAL, COLUMNS),
            ("of-a-matrix", EQUAL, WHOLE),
            ("of-both-signs", [-0.0, 0.0, -0.0], WHOLE),
        )
    ),
)
