"""Special points of products whose result is square, so that a gradient summed along the wrong axis fits as well."""

from __future__ import annotations

from typing import Any

from conformance.points.constructors import limit
from conformance.points.point import SpecialPoint

COLUMN, ROW = [[2.0], [3.0], [5.0]], [7.0, 11.0, 13.0]
UPSTREAM = [[1.0, 2.0, 4.0], [8.0, 16.0, 32.0], [64.0, 128.0, 256.0]]
OF_COLUMN, OF_ROW = (
    [81, 648, 5184],
    [346, 692, 1384],
)  # Σ g · row over each row, and Σ g · column over each column
SQUARE: dict[str, Any] = {"cotangent": UPSTREAM}
ONE_AXIS = [2.0, 3.0, 5.0]

POINTS: tuple[SpecialPoint, ...] = (
    limit("multiply", "column-by-vector", (COLUMN, ROW), ([[g] for g in OF_COLUMN], OF_ROW), **SQUARE),
    limit("multiply", "vector-by-column", (ROW, COLUMN), (OF_ROW, [[g] for g in OF_COLUMN]), **SQUARE),
    limit("tensordot", "of-no-axes", (ONE_AXIS, ROW), (OF_COLUMN, OF_ROW), axes=0, **SQUARE),
    limit("outer", "as-long", (ONE_AXIS, ROW), (OF_COLUMN, OF_ROW), **SQUARE),
    limit("einsum", "outer-as-long", (ONE_AXIS, ROW), (OF_COLUMN, OF_ROW), subscripts="i,j->ij", **SQUARE),
)  # fmt: skip
