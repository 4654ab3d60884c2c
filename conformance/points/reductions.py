"""Special points of reductions, order statistics, pooling and matrices."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from conformance.points.constructors import (
    FIRST,
    INF,
    LAST,
    NAN,
    SHARED,
    border,
    fair,
    finite,
    limit,
    masked,
    slopes,
    tie,
)
from conformance.points.point import Nature, SpecialPoint

BESIDE_2 = {"3": 3.0, "below-2": 1.75}  # orders of norms, by what they are called
WHOLE: dict[str, Any] = {"axis": None, "keepdims": False}
ROOT_THIRD = 1 / math.sqrt(3)

# -- ties ------------------------------------------------------------------------------------------


def routed_ties(op: str, others: float) -> tuple[SpecialPoint, ...]:
    """Ties of two, three and all entries with the value 2, where `others` is not selected."""
    return (
        tie(op, "tie-of-2", [others, 2.0, 2.0], [1, 2], **WHOLE),
        tie(op, "tie-of-2-apart", [2.0, others, 2.0], [0, 2], **WHOLE),
        tie(op, "tie-of-3", [2.0, 2.0, others, 2.0], [0, 1, 3], **WHOLE),
        tie(op, "all-equal", [2.0, 2.0, 2.0], [0, 1, 2], **WHOLE),
        tie(op, "all-0", [0.0, -0.0, 0.0], [0, 1, 2], **WHOLE),
        tie(op, "all-equal-in-a-matrix", [[2.0, 2.0], [2.0, 2.0]], [(0, 0), (0, 1), (1, 0), (1, 1)], **WHOLE),
        limit(op, "single", ([3.0],), ([1],), **WHOLE),
    )


SORTED = {
    FIRST: ([1, 2, 4],),  # stable: equal entries keep their order
    LAST: ([2, 1, 4],),
    SHARED: ([1.5, 1.5, 4],),
}
PTP: dict[str, Any] = {"axis": None, "keepdims": False, "nature": Nature.TIE}
WINDOW: dict[str, Any] = {
    "kernel_size": (2, 2),
    "stride": (2, 2),
    "padding": (0, 0),
    "dilation": (1, 1),
    "ceil_mode": False,
}
TIES = (
    *routed_ties("max", 1.0),
    tie("max", "tie-at-infinity", [INF, INF], [0, 1], **WHOLE),
    *routed_ties("min", 3.0),
    tie("median", "tie-of-2", [1.0, 2.0, 2.0], [1, 2], **WHOLE),
    tie("median", "tie-of-3", [1.0, 2.0, 2.0, 2.0, 3.0], [1, 2, 3], **WHOLE),
    tie("median", "all-equal", [2.0, 2.0, 2.0], [0, 1, 2], **WHOLE),
    limit("quantile", "tie-of-the-middle-two", ([1.0, 2.0, 2.0, 3.0],), ([0, 0.5, 0.5, 0],), q=0.5, **WHOLE),
    *(limit("quantile", f"at-an-entry-{method}", ([1.0, 3.0, 2.0],), ([0, 0, 1],), q=0.5, method=method, **WHOLE)
      for method in ("linear", "lower", "higher", "nearest", "midpoint")),
    fair("quantile", "tie-of-3-of-an-even-count", ([3.0, 2.0, 2.0, 2.0],), (([0] * 4, [0, 0.5, 0.5, 0.5]),), {
        SHARED: ([0, 1 / 3, 1 / 3, 1 / 3],), FIRST: ([0, 0.5, 0.5, 0],), LAST: ([0, 0, 0.5, 0.5],)},
        nature=Nature.TIE, total=1.0, q=0.5, **WHOLE),
    tie("quantile", "tie-of-3", [1.0, 1.0, 1.0, 2.0], [0, 1, 2], q=0.3, **WHOLE),
    fair("ptp", "tie-of-2", ([3.0, 1.0, 3.0],), (([0, -1, 0], [1, -1, 1]),),
        {SHARED: ([0.5, -1, 0.5],), FIRST: ([1, -1, 0],), LAST: ([0, -1, 1],), "all": ([1, -1, 1],)},
        total=0.0, **PTP),
    fair("ptp", "all-equal", ([3.0, 3.0],), ((-1, 1),),
        {"zero": ([0, 0],), "first above last": ([1, -1],), "last above first": ([-1, 1],)}, total=0.0, **PTP),
    fair("sort", "tie-of-2", ([2.0, 2.0, 3.0],), (([1, 1, 4], [2, 2, 4]),), SORTED,
        nature=Nature.TIE, total=7.0, cotangent=[1, 2, 4], axis=-1),
    *(
        fair(op, "tie-of-2", ([2.0, 2.0, other],), (([1, 0, 0], [7, 6, 0]),),
            {FIRST: ([7, 0, 0],), LAST: ([1, 6, 0],), SHARED: ([4, 3, 0],)},
            nature=Nature.TIE, total=7.0, cotangent=[1, 2, 4], axis=-1)
        for op, other in (("cummax", 1.0), ("cummin", 3.0))
    ),
    fair("top_k", "tie-of-2", ([2.0, 2.0, 3.0],), (([2, 2, 1], [4, 4, 1]),),
        {FIRST: ([2, 4, 1],), LAST: ([4, 2, 1],), SHARED: ([3, 3, 1],)},
        nature=Nature.TIE, total=7.0, cotangent=[1, 2, 4], k=3, axis=-1),
    fair("sort", "all-equal", ([2.0, 2.0, 2.0],), ((1, 4),),
        {FIRST: ([1, 2, 4],), LAST: ([4, 2, 1],), SHARED: ([7 / 3] * 3,)},
        nature=Nature.TIE, total=7.0, cotangent=[1, 2, 4], axis=-1),
    tie("max_pool2d", "tie-of-2", [[[[1.0, 5.0], [5.0, 2.0]]]], [(0, 0, 0, 1), (0, 0, 1, 0)], **WINDOW),
    tie("adaptive_max_pool2d", "tie-of-2", [[[[1.0, 5.0], [5.0, 2.0]]]], [(0, 0, 0, 1), (0, 0, 1, 0)],
        output_size=(1, 1)),
    tie("adaptive_max_pool2d", "all-equal", [[[[5.0, 5.0], [5.0, 5.0]]]],
        [(0, 0, 0, 0), (0, 0, 0, 1), (0, 0, 1, 0), (0, 0, 1, 1)], output_size=(1, 1)),
    limit("adaptive_max_pool2d", "of-two-windows", ([[[[1.0, 3.0, 2.0]]]],), ([[[[0, 5, 0]]]],),
        cotangent=[[[[2, 3]]]], output_size=(1, 2)),
    limit("adaptive_max_pool2d", "more-windows-than-entries", ([[[[1.0, 3.0]]]],), ([[[[2, 7]]]],),
        cotangent=[[[[2, 3, 4]]]], output_size=(1, 3)),
    tie("vector_norm", "tie-ord-infinity", [1.0, 2.0, 2.0], [1, 2], ord=INF, **WHOLE),
    tie("vector_norm", "tie-ord-minus-infinity", [2.0, 2.0, 3.0], [0, 1], ord=-INF, **WHOLE),
    tie("max_pool2d", "tie-at-minus-infinity", [[[[-INF, -INF], [-INF, -INF]]]],
        [(0, 0, 0, 0), (0, 0, 0, 1), (0, 0, 1, 0), (0, 0, 1, 1)], **WINDOW),
    border("max_pool2d", "minus-infinity-beside-the-margin", ([[[[-INF]]]],),
        {"zero": (0.0,), "one": (1.0,), SHARED: (0.25,)}, **{**WINDOW, "padding": (1, 1)}),
    tie("max_pool2d", "all-equal", [[[[5.0, 5.0], [5.0, 5.0]]]],
        [(0, 0, 0, 0), (0, 0, 0, 1), (0, 0, 1, 0), (0, 0, 1, 1)], **WINDOW),
)  # fmt: skip

# -- norms and spreads -----------------------------------------------------------------------------


def norm_at_0(ord: float, bound: float = 1.0) -> SpecialPoint:
    """The origin, where the subdifferential of a norm is the unit ball of the dual norm."""
    corner = [2 ** (1 / ord - 1)] * 2
    return fair("vector_norm", f"at-0-ord-{ord:g}", ([0.0, 0.0],), ((-1, 1),),
        {"zero": ([0, 0],), "along the diagonal": (corner,), "one each": ([1, 1],)}, ord=ord, **WHOLE)  # fmt: skip


def equal_entries(n: int, correction: float) -> SpecialPoint:
    """Equal entries: the deviation has a kink there, like that of a norm."""
    steepest = math.sqrt((1 - 1 / n) / (n - correction))
    return fair("std", f"equal-{n}-correction-{correction:g}", ([2.0] * n,), ((-steepest, steepest),),
        {"zero": ([0] * n,)}, total=0.0, correction=correction, **WHOLE)  # fmt: skip


SPREAD_POINTS = (
    norm_at_0(2), norm_at_0(1), norm_at_0(3),
    fair("lp_pool1d", "at-0", ([[[0.0, 0.0]]],), ((-1, 1),),
        {"zero": (0.0,), "along the diagonal": (2**-0.5,), "one each": (1.0,)}, norm_type=2.0, kernel_size=2, stride=2),
    limit("lp_pool1d", "with-a-0", ([[[0.0, 3.0, 4.0]]],), ([[[0, 0.6, 0.8]]],), norm_type=2.0, kernel_size=3, stride=3),
    *(limit("lp_pool1d", f"with-a-0-{name}", ([[[0.0, 2.0]]],), ([[[0, 1]]],), norm_type=p, kernel_size=2, stride=2)
      for name, p in BESIDE_2.items()),
    limit("vector_norm", "with-a-0", ([0.0, 3.0, 4.0],), ([0, 0.6, 0.8],), ord=2, **WHOLE),
    *(limit("vector_norm", f"with-a-0-ord-{name}", ([0.0, 2.0],), ([0, 1],), ord=ord, **WHOLE) for name, ord in BESIDE_2.items()),
    fair("vector_norm", "with-a-0-ord-1", ([0.0, 2.0],), (([-1, 1], [1, 1]),),
        {"zero": ([0, 1],), "left": ([-1, 1],), "right": ([1, 1],)}, ord=1, **WHOLE),
    finite("vector_norm", "huge", lambda e: ([3 * e.huge, 4 * e.huge],), ([0.6, 0.8],), ord=2, **WHOLE),
    finite("vector_norm", "small", lambda e: ([3 * e.small, 4 * e.small],), ([0.6, 0.8],), ord=2, **WHOLE),
    finite("vector_norm", "huge-ord-1", lambda e: ([e.huge, -e.huge],), ([1, -1],), ord=1, **WHOLE),
    equal_entries(2, 0), equal_entries(3, 0), equal_entries(3, 1),
    limit("std", "single", ([3.0],), ([0],), correction=0, **WHOLE),
    limit("var", "equal", ([2.0, 2.0, 2.0],), ([0, 0, 0],), correction=1, **WHOLE),
    limit("var", "single", ([3.0],), ([0],), correction=0, **WHOLE),
    border("var", "single-correction-1", ([3.0],), slopes("nan", "zero"), correction=1, **WHOLE),
    border("std", "single-correction-1", ([3.0],), slopes("nan", "zero"), correction=1, **WHOLE),
)  # fmt: skip

# -- products, exponentials ------------------------------------------------------------------------

LINE: dict[str, Any] = {"cotangent": [1, 2, -1], "axis": 0}
PRODUCTS = (
    limit("prod", "one-0", ([2.0, 0.0, 3.0],), ([0, 6, 0],), **WHOLE),
    limit("prod", "two-0s", ([0.0, 2.0, 0.0],), ([0, 0, 0],), **WHOLE),
    limit("prod", "two-entries-one-0", ([0.0, 5.0],), ([5, 0],), **WHOLE),
    limit("prod", "single-0", ([0.0],), ([1],), **WHOLE),
    finite("prod", "with-least", lambda e: ([e.least, 2.0],), lambda e: ([2, e.least],), **WHOLE),
    limit("cumulative_prod", "one-0", ([2.0, 0.0, 3.0],), ([1, -2, 0],), **LINE),
    limit("cumulative_prod", "two-0s", ([0.0, 0.0, 3.0],), ([1, 0, 0],), **LINE),
    limit("cumulative_prod", "0-first", ([0.0, 2.0, 3.0],), ([-1, 0, 0],), **LINE),
    limit("cumulative_prod", "0-last", ([2.0, 3.0, 0.0],), ([7, 4, -6],), **LINE),
    limit("logsumexp", "equal", ([2.0, 2.0],), ([0.5, 0.5],), **WHOLE),
    limit("logsumexp", "single", ([2.0],), ([1],), **WHOLE),
    finite("logsumexp", "at-1000", ([1000.0, -1000.0],), ([1, 0],), **WHOLE),
    finite("logsumexp", "at-minus-1000", ([-1000.0, -2000.0],), ([1, 0],), **WHOLE),
    finite("logsumexp", "huge-and-equal", lambda e: ([e.huge, e.huge],), ([0.5, 0.5],), **WHOLE),
    finite("logsumexp", "with-minus-infinity", ([-INF, 0.0, 0.0],), ([0, 0.5, 0.5],), **WHOLE),
    border("logsumexp", "all-minus-infinity", ([-INF, -INF],), slopes("nan", "zero", "half", "one"), **WHOLE),
    border("logsumexp", "with-infinity", ([INF, 0.0],), slopes("nan", selected=[1, 0], undecided=[NAN, 0]),
        **WHOLE),
    finite("logcumsumexp", "at-1000", ([1000.0, -1000.0],), ([1, 0],), cotangent=[0, 1], axis=0),
    finite("logcumsumexp", "huge-and-equal", lambda e: ([e.huge, e.huge],), ([0.5, 0.5],), cotangent=[0, 1],
        axis=0),
    # What stands before a much larger entry is lost where all are computed beside the largest.
    finite("logcumsumexp", "late-maximum", ([-1000.0, 1000.0],), ([1, -1],), cotangent=[1, -1], axis=0),
    finite("logcumsumexp", "first-minus-infinity", ([-INF, 0.0],), ([0, 1],), cotangent=[0, 1], axis=0),
)  # fmt: skip

# -- matrices --------------------------------------------------------------------------------------

SINGULAR = [[1.0, 2.0], [2.0, 4.0]]
SINGULAR_CONVENTIONS = {"nan": (NAN,), "infinite": ([[INF, -INF], [-INF, INF]],), "zero": (0.0,)}
MATRICES = (
    limit("vander", "at-0", ([0.0, 2.0],), ([3, 17],), n=4, increasing=True, cotangent=[[7.0, 3.0, 2.0, 0.5]] * 2),
    limit("lstsq", "identity", ([[1.0, 0.0], [0.0, 1.0]], [[1.0], [2.0]]), ([[-1, -2], [-3, -6]], [[1], [3]]),
        cotangent=[[1.0], [3.0]]),
    limit("cond", "far-apart", ([[1.0, 0.0], [0.0, 4.0]],), ([[-4, 0], [0, 1]],), p=2),
    limit("det", "singular", (SINGULAR,), ([[4, -2], [-2, 1]],)),
    limit("det", "singular-beside-others", ([[[2.0, 1.0], [0.0, 3.0]], SINGULAR, [[0.0, 0.0], [0.0, 5.0]]],),
        ([[[3, 0], [-1, 2]], [[8, -4], [-4, 2]], [[15, 0], [0, 0]]],), cotangent=[1.0, 2.0, 3.0]),
    limit("det", "of-rank-1", ([[1.0, 1.0, 1.0]] * 3,), (0,)),
    limit("det", "of-rank-2", ([[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 0.0]],),
        ([[0, 0, 0], [0, 0, 0], [0, 0, 1]],)),
    limit("det", "of-0", ([[0.0, 0.0], [0.0, 0.0]],), (0,)),
    limit("det", "identity", ([[1.0, 0.0], [0.0, 1.0]],), ([[1, 0], [0, 1]],)),
    limit("det", "one-entry", ([[3.0]],), ([[1]],)),
    limit("det", "one-entry-0", ([[0.0]],), ([[1]],)),
    limit("det", "no-entries", (np.zeros((0, 0)),), (np.zeros((0, 0)),)),
    limit("inv", "one-entry", ([[2.0]],), ([[-0.25]],)),
    limit("solve", "one-entry", ([[2.0]], [1.0]), ([[-0.25]], [0.5])),
    # Stacks of matrices of one entry, for which engines have ways of their own.
    limit("det", "stack-of-one-entry", ([[[3.0]], [[2.0]]],), ([[[5]], [[7]]],), cotangent=[5.0, 7.0]),
    limit("inv", "stack-of-one-entry", ([[[2.0]], [[4.0]]],), ([[[-0.25]], [[-0.0625]]],)),
    limit("solve", "stack-of-one-entry", ([[[2.0]], [[4.0]]], [[[1.0]], [[2.0]]]), ([[[-0.25]], [[-0.125]]], [[[0.5]], [[0.25]]])),
    limit("logdet", "stack-of-one-entry", ([[[2.0]], [[4.0]]],), ([[[0.5]], [[0.25]]],)),
    limit("cholesky", "stack-of-one-entry", ([[[4.0]], [[16.0]]],), ([[[0.25]], [[0.125]]],)),
    limit("tridiagonal_solve", "diagonal-alone", ([0.0] * 3, [2.0] * 3, [0.0] * 3, [[1.0], [1.0], [1.0]]),
        ([0, -0.5, -1], [-0.25, -0.5, -1], [-0.25, -0.5, 0], [[0.5], [1], [2]]), cotangent=[[1.0], [2.0], [4.0]]),
    limit("corrcoef", "uncorrelated", ([[1.0, 0.0, -1.0], [1.0, -2.0, 1.0]],),
        ([[2.5 * ROOT_THIRD, -5 * ROOT_THIRD, 2.5 * ROOT_THIRD], [2.5 * ROOT_THIRD, 0, -2.5 * ROOT_THIRD]],), cotangent=[[1.0, 2.0], [3.0, 4.0]]),
    *(fair("pdist", f"equal-rows-p-{p:g}", ([[2.0], [2.0]],), (([[-1], [-1]], [[1], [1]]),), {"zero": (0.0,), "nan": (NAN,)}, p=p)
      for p in (2.0, 1.0, 3.0)),
    # Of |d|^p, 1 < p, the slope is 0 at d = 0, though that of its logarithm is not.
    *(limit("cdist", f"one-equal-coordinate-p-{name}", ([[1.0, 2.0]], [[1.0, 3.0]]), ([[0, -1]], [[0, 1]]), p=p) for name, p in BESIDE_2.items()),
    *(limit("pdist", f"one-equal-coordinate-p-{name}", ([[1.0, 2.0], [1.0, 3.0]],), ([[0, -1], [0, 1]],), p=p) for name, p in BESIDE_2.items()),
    *(fair("cdist", f"equal-rows-p-{p:g}", ([[2.0]], [[2.0]]), (([[-1]], [[1]]), ([[-1]], [[1]])),
           {"zero": (0.0, 0.0), "nan": (NAN, NAN)}, p=p) for p in (2.0, 1.0, 3.0)),
    *(fair("cdist", f"one-equal-row-among-others-p-{p:g}", ([[2.0], [5.0]], [[2.0], [9.0]]),
           (([[-3], [-2]], [[-1], [-2]]), ([[-4], [7]], [[-2], [7]])),
           {"zero": ([[-2], [-2]], [[-3], [7]]), "nan": ([[NAN], [-2]], [[NAN], [7]])}, p=p, cotangent=[[1.0, 2.0], [3.0, 5.0]]) for p in (2.0, 1.0)),
    fair("pdist", "two-equal-rows-among-others", ([[2.0], [2.0], [5.0]],), (([[-3], [-5], [6]], [[-1], [-3], [6]]),),
        {"zero": ([[-2], [-4], [6]],), "nan": ([[NAN], [NAN], [6]],)}, p=2.0, cotangent=[1.0, 2.0, 4.0]),
    limit("cumulative_sum", "small-behind-large-cotangents", ([1.0, 2.0, 3.0],), ([2.0**60, 4, 3],),
        cotangent=[2.0**60, 1.0, 3.0], axis=0),
    limit("householder_product", "not-invertible", ([[0.0], [1.0]], [0.5]), ([[0], [-1.5]], [-4]), cotangent=[[1.0], [3.0]]),
    limit("cholesky_inverse", "nan-beyond-the-triangle", ([[1.0, NAN], [1.0, 2.0]],), ([[-2, 0], [0, 0]],), upper=False),
    limit("cholesky_inverse", "nan-below-the-triangle", ([[1.0, 1.0], [NAN, 2.0]],), ([[-2, 0], [0, 0]],), upper=True),
    limit("householder_product", "no-reflection", ([[0.0], [2.0]], [0.0]), ([[0], [0]], [-3])),
    limit("linspace", "one-step", (1.0, 3.0), (1, 0), num=1, endpoint=True, axis=0),
    limit("linspace", "ends-alone", (1.0, 3.0), (1, 1), num=2, endpoint=True, axis=0),
    limit("linspace", "without-the-stop", (1.0, 3.0), (1.5, 0.5), num=2, endpoint=False, axis=0),
    limit("tensorsolve", "one-entry", ([[[2.0]]], [1.0]), ([[[-0.25]]], [0.5]), axes=None),
    limit("cholesky", "one-entry", ([[4.0]],), ([[0.25]],)),
    limit("slogdet", "one-entry", ([[-2.0]],), ([[-0.5]],)),
    limit("logdet", "one-entry", ([[2.0]],), ([[0.5]],)),
    limit("logdet", "not-symmetric", ([[1.0, 4.0], [0.0, 2.0]],), ([[1, 0], [-2, 0.5]],)),
    limit("logdet", "two-negative-eigenvalues", ([[-2.0, 0.0], [0.0, -4.0]],), ([[-0.5, 0], [0, -0.25]],)),
    border("logdet", "below-0", ([[-2.0]],), {"nan": (NAN,), "continued": (-0.5,), "zero": (0.0,)}),
    border("logdet", "singular", (SINGULAR,), SINGULAR_CONVENTIONS),
    limit("toeplitz", "one-column", ([1.0, 2.0], [3.0]), ([5, 7], [0]), cotangent=[[5.0], [7.0]]),
    masked("toeplitz", "first-of-the-row-is-nan", ([1.0, 2.0], [NAN, 3.0]), ([6, 3], [0, 2]), cotangent=[[1.0, 2.0], [3.0, 5.0]]),
    limit("ediff1d", "one-entry", ([5.0], [1.0], [2.0]), ([0], [1], [1])),
    limit("matrix_power", "one-entry", ([[3.0]],), ([[27]],), n=3),
    border("slogdet", "singular", (SINGULAR,), SINGULAR_CONVENTIONS),
    border("inv", "singular", (SINGULAR,), SINGULAR_CONVENTIONS),
    border("solve", "singular", (SINGULAR, [1.0, 1.0]), {"nan": (NAN, NAN), "zero": (0.0, 0.0)}),
    border("cholesky", "singular", ([[1.0, 1.0], [1.0, 1.0]],), {"nan": (NAN,), "zero": (0.0,)}),
    limit("inv", "repeated-eigenvalue", ([[2.0, 0.0], [0.0, 2.0]],), (-0.25,)),
    limit("cholesky", "repeated-eigenvalue", ([[4.0, 0.0], [0.0, 4.0]],), ([[0.25, 0.25], [0.25, 0.25]],),
        cotangent=[[1, 0], [1, 1]]),
    limit("matrix_power", "to-the-0", (SINGULAR,), (0,), n=0),
    limit("matrix_power", "singular-squared", (SINGULAR,), ([[6, 10], [0, -4]],), cotangent=[[1, 2], [0, -1]], n=2),
)  # fmt: skip

POINTS: tuple[SpecialPoint, ...] = (*TIES, *SPREAD_POINTS, *PRODUCTS, *MATRICES)
