"""Special points of products whose result is square, so that a gradient summed along the wrong axis fits as well, and of blocks."""

from __future__ import annotations

from typing import Any

import numpy as np

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

# Two stacks of two matrices, each stretched along an axis of its own, and what is upstream of the four products.
ROWS: Any = [[[[1.0, 2.0]]], [[[3.0, 5.0]]]]
COLUMNS: Any = [[[[7.0], [11.0]], [[13.0], [17.0]]]]
OF_FOUR: Any = [[[[1.0]], [[2.0]]], [[[4.0]], [[8.0]]]]
# Two blocks and between them one of two columns and no row.
BLOCKS = (np.array([[2.0, 3.0], [5.0, 7.0]]), np.zeros((0, 2)), np.array([[11.0, 13.0]]))
OF_BLOCKS = np.arange(1.0, 19.0).reshape(3, 6)

POINTS: tuple[SpecialPoint, ...] = (
    limit("matmul", "stretched-on-both-sides", (ROWS, COLUMNS), ([[[[33, 45]]], [[[132, 180]]]], [[[[13], [22]], [[26], [44]]]]),
        cotangent=OF_FOUR),
    limit("block_diag", "beside-a-block-of-no-rows", BLOCKS, (OF_BLOCKS[:2, :2], np.zeros((0, 2)), OF_BLOCKS[2:, 4:]),
        cotangent=OF_BLOCKS),
    limit("multiply", "column-by-vector", (COLUMN, ROW), ([[g] for g in OF_COLUMN], OF_ROW), **SQUARE),
    limit("multiply", "vector-by-column", (ROW, COLUMN), (OF_ROW, [[g] for g in OF_COLUMN]), **SQUARE),
    limit("tensordot", "of-no-axes", (ONE_AXIS, ROW), (OF_COLUMN, OF_ROW), axes=0, **SQUARE),
    limit("outer", "as-long", (ONE_AXIS, ROW), (OF_COLUMN, OF_ROW), **SQUARE),
    limit("einsum", "outer-as-long", (ONE_AXIS, ROW), (OF_COLUMN, OF_ROW), subscripts="i,j->ij", **SQUARE),
)  # fmt: skip
