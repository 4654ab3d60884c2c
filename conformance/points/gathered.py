"""Special points of reductions of what is gathered by a condition or an index."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from conformance.points.constructors import (
    FIRST,
    INF,
    LAST,
    MIDDLE,
    NAN,
    SHARED,
    border,
    fair,
    finite,
    limit,
    masked,
    slopes,
    tie,
    tied_pair,
)
from conformance.points.point import Nature, SpecialPoint

WHOLE: dict[str, Any] = {"axis": None, "keepdims": False}
ALONG: dict[str, Any] = {"axis": 1, "keepdims": False}
MIDDLES = [[1.0, NAN, 3.0, 2.0], [NAN, NAN, 4.0, NAN]]
ROWS = [[1.0, NAN, 2.0], [NAN, NAN, 4.0]]
PICKED: tuple[tuple[str, list[float], dict[str, Any]], ...] = (
    ("sum_where", [1, 1], {}),
    ("mean_where", [0.5, 0.5], {}),
    ("max_where", [0, 1], {"initial": -INF}),
    ("min_where", [1, 0], {"initial": INF}),
)
CONDITIONS = ([True, False, False], [True, True, False])
TALL = [[1.0, 2.0], [3.0, 4.0], [5.0, 6.0], [7.0, 8.0]]
PRIMES = [[1.0, 2.0], [3.0, 5.0], [7.0, 11.0], [13.0, 17.0]]  # and 1
HALF_ROOT = 2**-0.5
BOTH = np.array([0, 0])  # two values are sent to the first place


def scattered(reduce: str, *, include_self: bool = True) -> dict[str, Any]:
    """The parameters of a reduction along the only axis."""
    return {"axis": 0, "reduce": reduce, "include_self": include_self}


POINTS: tuple[SpecialPoint, ...] = (
    masked("nansum", "beside-nan", ([1.0, NAN, 2.0],), ([1, 0, 1],), **WHOLE),
    masked("nansum", "all-nan", ([NAN, NAN],), ([0, 0],), **WHOLE),
    masked("nansum", "rows-with-nan", (ROWS,), ([[1, 0, 1], [0, 0, 3]],), cotangent=[1.0, 3.0], **ALONG),
    masked("nansum", "table-with-nan", (ROWS,), ([[1, 0, 1], [0, 0, 1]],), **WHOLE),
    limit("nansum", "beside-infinity", ([1.0, INF],), ([1, 1],), **WHOLE),
    masked("nanmean", "beside-nan", ([1.0, NAN, 2.0],), ([0.5, 0, 0.5],), **WHOLE),
    border("nanmean", "all-nan", ([NAN, NAN],), {"nan": (NAN,), "zero": (0.0,)}, **WHOLE),
    masked("nanmean", "rows-with-nan", (ROWS,), ([[0.5, 0, 0.5], [0, 0, 3]],), cotangent=[1.0, 3.0], **ALONG),
    masked("nanprod", "beside-nan", ([2.0, NAN, 3.0],), ([3, 0, 2],), **WHOLE),
    masked("nanprod", "beside-nan-and-0", ([0.0, NAN, 3.0],), ([3, 0, 0],), **WHOLE),
    masked("nanprod", "rows-with-nan", (ROWS,), ([[2, 0, 1], [0, 0, 3]],), cotangent=[1.0, 3.0], **ALONG),
    masked("nanprod", "table-with-nan", (ROWS,), ([[8, 0, 4], [0, 0, 2]],), **WHOLE),
    masked("nanprod", "all-nan", ([NAN, NAN],), ([0, 0],), **WHOLE),
    masked("nanvar", "beside-nan", ([1.0, NAN, 2.0],), ([-0.5, 0, 0.5],), **WHOLE, correction=0),
    masked("nanvar", "beside-nan-corrected", ([1.0, NAN, 2.0],), ([-1, 0, 1],), **WHOLE, correction=1),
    masked("nanstd", "beside-nan", ([1.0, NAN, 2.0],), ([-0.5, 0, 0.5],), **WHOLE, correction=0),
    masked("nanstd", "beside-nan-corrected", ([1.0, NAN, 3.0],), ([-HALF_ROOT, 0, HALF_ROOT],), **WHOLE, correction=1),
    masked("nancumsum", "beside-nan", ([1.0, NAN, 2.0],), ([7, 0, 4],), cotangent=[1.0, 2.0, 4.0], axis=0),
    masked("nancumsum", "first-nan", ([NAN, 1.0, 2.0],), ([0, 6, 4],), cotangent=[1.0, 2.0, 4.0], axis=0),
    masked("nancumsum", "rows-with-nan", (ROWS,), ([[7, 0, 4], [0, 0, 4]],), cotangent=[[1.0, 2.0, 4.0], [1.0, 2.0, 4.0]], axis=1),
    masked("nancumsum", "table-with-nan", (ROWS,), ([[63, 0, 60], [0, 0, 32]],), cotangent=[1.0, 2.0, 4.0, 8.0, 16.0, 32.0], axis=None),
    masked("nanmedian", "beside-nan", ([1.0, NAN, 3.0, 2.0],), ([0, 0, 0, 1],), **WHOLE),
    masked("nanmedian", "rows-with-nan", (MIDDLES,), ([[0, 0, 0, 1], [0, 0, 3, 0]],), cotangent=[1.0, 3.0], **ALONG),
    tie("nanmedian", "tie-beside-nan", [1.0, NAN, 2.0, 2.0], [2, 3], **WHOLE),
    masked("nanquantile", "beside-nan", ([1.0, NAN, 3.0, 2.0],), ([0, 0, 0.5, 0.5],), q=0.75, **WHOLE),
    masked("nanquantile", "rows-with-nan", (MIDDLES,), ([[0, 0, 0.5, 0.5], [0, 0, 3, 0]],), cotangent=[1.0, 3.0], q=0.75, **ALONG),
    masked("nanquantile", "largest-number", ([1.0, NAN, 3.0, 2.0],), ([0, 0, 1, 0],), q=1.0, **WHOLE),
    masked("nanquantile", "two-numbers", ([1.0, NAN, 2.0],), ([0.5, 0, 0.5],), q=0.5, **WHOLE),
    tie("nanquantile", "tie-beside-nan", [1.0, NAN, 2.0, 2.0], [2, 3], q=0.5, **WHOLE),
    *(border(op, "all-nan", ([NAN, NAN, NAN],), {
        "nan": (NAN,), "zero": (0.0,), "one": (1.0,), SHARED: (1 / 3,), FIRST: ([1, 0, 0],), MIDDLE: ([0, 1, 0],)}, **ALL)
      for op, ALL in (("nanmedian", WHOLE), ("nanquantile", {"q": 0.5, **WHOLE}))),
    *(masked(op, "beside-nan", ([1.0, NAN, 2.0],), (gradient,), **WHOLE)
      for op, gradient in (("nanmax", [0, 0, 1]), ("nanmin", [1, 0, 0]))),
    *(tie(op, "tie-beside-nan", [NAN, 2.0, 2.0], [1, 2], **WHOLE) for op in ("nanmax", "nanmin")),
    *(border(op, "all-nan", ([NAN, NAN],), {"nan": (NAN,), "zero": (0.0,), "one": (1.0,), SHARED: (0.5,)}, **WHOLE)
      for op in ("nanmax", "nanmin")),
    *(point
      for op in ("fmax", "fmin")
      for point in (
          masked(op, "nan-and-number", (NAN, 1.0), (0, 1)),
          masked(op, "number-and-nan", (1.0, NAN), (1, 0)),
          tied_pair(op, "tie", (1.0, 1.0)),
          tied_pair(op, "tie-of-signed-zeros", (0.0, -0.0)),
          tied_pair(op, "tie-at-infinity", (INF, INF)),
          border(op, "both-nan", (NAN, NAN), {
              "one each": (1.0, 1.0), SHARED: (0.5, 0.5), "zero": (0.0, 0.0), "nan": (NAN, NAN),
              FIRST: (1.0, 0.0), LAST: (0.0, 1.0)}),
      )),
    masked("select", "nan-not-selected", (*CONDITIONS, [1.0, NAN, NAN], [INF, 2.0, NAN]),
        (None, None, [1, 0, 0], [0, 2, 0]), cotangent=[1.0, 2.0, 4.0], default=0.0),
    masked("select", "infinite-cotangent", (*CONDITIONS, [1.0, 2.0, 3.0], [4.0, 5.0, 6.0]),
        (None, None, [INF, 0, 0], [0, 1, 0]), cotangent=[INF, 1.0, INF], default=0.0),
    masked("select", "both-hold", ([True], [True], [1.0], [INF]), (None, None, [1], [0]), default=1.5),
    masked("choose", "nan-not-chosen", (np.array([0, 2]), [1.0, NAN], [INF, NAN], [NAN, 2.0]),
        (None, [1, 0], [0, 0], [0, 3]), cotangent=[1.0, 3.0], mode="clip"),
    masked("choose", "infinite-cotangent", (np.array([0, 2]), [1.0, 2.0], [3.0, 4.0], [5.0, 6.0]),
        (None, [INF, 0], [0, 0], [0, 1]), mode="clip", cotangent=[INF, 1.0]),
    masked("choose", "out-of-range", (np.array([-1, 4]), [1.0, NAN], [NAN, NAN], [NAN, 2.0]),
        (None, [1, 0], [0, 0], [0, 3]), cotangent=[1.0, 3.0], mode="clip"),
    masked("choose", "counted-around", (np.array([-1, 4]), [NAN, NAN], [NAN, 2.0], [1.0, NAN]),
        (None, [0, 0], [0, 3], [1, 0]), cotangent=[1.0, 3.0], mode="wrap"),
    masked("masked_scatter", "nan-not-selected", ([NAN, 2.0, INF], [True, False, True], [5.0, 6.0, NAN]),
        ([0, 2, 0], None, [1, 4, 0]), cotangent=[1.0, 2.0, 4.0]),
    masked("masked_scatter", "infinite-cotangent", ([1.0, 2.0, 3.0], [True, False, True], [5.0, 6.0, 7.0]),
        ([0, 1, 0], None, [INF, INF, 0]), cotangent=[INF, 1.0, INF]),
    masked("masked_scatter", "none", ([1.0, 2.0], [False, False], [NAN, INF]), ([1, 1], None, [0, 0])),
    limit("take_along_axis", "counted-from-the-end", ([1.0, 2.0, 3.0], np.array([-1, 0, -1, -3])), ([10, 0, 5], None),
        cotangent=[1.0, 2.0, 4.0, 8.0], axis=0),
    limit("put_along_axis", "counted-from-the-end", ([[1.0, 2.0, 3.0]], [[5.0, 7.0]]), ([[0, 2, 0]], [[4, 1]]),
        cotangent=[[1.0, 2.0, 4.0]], indices=[[-1, -3]], axis=1),
    masked("index_fill", "nan-filled", ([[NAN, 2.0], [INF, 4.0]],), ([[0, 2], [0, 4]],), indices=[0, 0], axis=1, value=0.0,
        cotangent=[[1.0, 2.0], [3.0, 4.0]]),
    masked("index_fill", "infinite-cotangent", ([1.0, 2.0, 3.0],), ([1, 0, 0],), indices=[-1, 1], axis=0, value=1.5,
        cotangent=[1.0, INF, INF]),
    masked("fill_diagonal", "nan-filled", ([[NAN, 2.0], [3.0, INF]],), ([[0, 2], [3, 0]],), value=0.0, wrap=False,
        cotangent=[[1.0, 2.0], [3.0, 5.0]]),
    masked("fill_diagonal", "infinite-cotangent", ([[1.0, 2.0], [3.0, 4.0]],), ([[0, 1], [1, 0]],), value=0.0, wrap=False,
        cotangent=[[INF, 1.0], [1.0, INF]]),
    masked("fill_diagonal", "tall", (TALL,), ([[0, 2], [3, 0], [7, 11], [13, 17]],), cotangent=PRIMES, value=1.0, wrap=False),
    masked("fill_diagonal", "tall-and-wrapped", (TALL,), ([[0, 2], [3, 0], [7, 11], [0, 17]],), cotangent=PRIMES, value=1.0, wrap=True),
    *(point
      for op, far in (("segment_max", -9.0), ("segment_min", 9.0))
      for point in (
          tie(op, "tie-of-2", [far, 2.0, 2.0], [1, 2], segment_ids=[0, 0, 0], num_segments=1),
          tie(op, "tie-of-3-apart", [2.0, 2.0, far, 2.0], [0, 1, 3], segment_ids=[0, 0, 0, 0], num_segments=1),
          tie(op, "tie-at-infinity", [-math.copysign(INF, far), far, -math.copysign(INF, far)], [0, 2], segment_ids=[0, 0, 0], num_segments=1),
          masked(op, "infinite-cotangent-beside", ([far, 2.0, far],), ([0, 1, INF],), cotangent=[1.0, INF],
              segment_ids=[0, 0, 1], num_segments=2),
          masked(op, "none-in-a-segment", ([far, 2.0, 2.0],), ([0, 5, 3],), cotangent=[5.0, 7.0, 3.0],
              segment_ids=[0, 0, 2], num_segments=3),
      )),
    masked("index_copy", "nan-overwritten", ([NAN, 2.0, INF], [5.0, 6.0]), ([0, 2, 0], [4, 1]), cotangent=[1.0, 2.0, 4.0],
        indices=[2, 0], axis=0),
    masked("index_copy", "infinite-cotangent", ([1.0, 2.0, 3.0], [5.0, 6.0]), ([0, 1, 0], [INF, -INF]), cotangent=[-INF, 1.0, INF],
        indices=[2, 0], axis=0),
    limit("segment_prod", "with-a-0", ([2.0, 0.0, 3.0, 4.0],), ([0, 6, 0, 7],), cotangent=[1.0, 7.0],
        segment_ids=[0, 0, 0, 1], num_segments=2),
    limit("segment_prod", "with-two-0", ([0.0, 0.0, 3.0],), ([0, 0, 0],), segment_ids=[0, 0, 0], num_segments=1),
    limit("segment_prod", "a-0-alone", ([0.0, 3.0],), ([1, 5],), cotangent=[1.0, 5.0], segment_ids=[0, 1], num_segments=2),
    limit("segment_prod", "none-in-a-segment", ([2.0, 3.0],), ([3, 2],), cotangent=[7.0, 1.0], segment_ids=[1, 1], num_segments=2),
    masked("segment_mean", "none-in-a-segment", ([2.0, 3.0],), ([0.5, 0.5],), cotangent=[7.0, 1.0], segment_ids=[1, 1], num_segments=2),
    masked("segment_mean", "nan-beside", ([1.0, 2.0, NAN],), ([0.5, 0.5, 3],), cotangent=[1.0, 3.0], segment_ids=[0, 0, 1], num_segments=2),
    limit("scatter_reduce", "product-with-a-0", ([2.0], BOTH, [0.0, 3.0]), ([0], None, [6, 0]), **scattered("prod")),
    limit("scatter_reduce", "product-with-two-0", ([2.0], BOTH, [0.0, 0.0]), ([0], None, [0, 0]), **scattered("prod")),
    limit("scatter_reduce", "product-of-0", ([0.0], BOTH, [2.0, 3.0]), ([6], None, [0, 0]), **scattered("prod")),
    limit("scatter_reduce", "product-without-0", ([0.0], BOTH, [2.0, 0.0]), ([0], None, [0, 2]),
        **scattered("prod", include_self=False)),
    # Two values are sent to the first place, and nothing to the second, which keeps its entry.
    *(
        limit("scatter_reduce", f"{reduce}-where-nothing-is-sent", ([2.0, 5.0], BOTH, [3.0, 4.0]), ([0, 7], None, sent),
            cotangent=[1.0, 7.0], **scattered(reduce, include_self=False))
        for reduce, sent in (("sum", [1, 1]), ("mean", [0.5, 0.5]), ("prod", [4, 3]), ("amax", [0, 1]), ("amin", [1, 0]))
    ),
    *(
        limit("scatter_reduce", f"{reduce}-where-nothing-is-sent-with-self", ([2.0, 5.0], BOTH, [3.0, 4.0]), ([own, 7], None, sent),
            cotangent=[1.0, 7.0], **scattered(reduce))
        for reduce, own, sent in (("sum", 1, [1, 1]), ("mean", 1 / 3, [1 / 3, 1 / 3]), ("prod", 12, [8, 6]), ("amax", 0, [0, 1]), ("amin", 1, [0, 0]))
    ),
    *(
        fair("scatter_reduce", f"tie-{reduce}", ([other], BOTH, [2.0, 2.0]), ((0, 0), None, ([0, 0], [1, 1])),
            {FIRST: ([0], None, [1, 0]), LAST: ([0], None, [0, 1]), SHARED: ([0], None, [0.5, 0.5])},
            nature=Nature.TIE, total=1.0, **scattered(reduce))
        for reduce, other in (("amax", 1.0), ("amin", 3.0))
    ),
    *(
        fair("scatter_reduce", f"tie-{reduce}-with-self", ([2.0], BOTH, [2.0, other]), ((0, 1), None, ([0, 0], [1, 0])),
            {FIRST: ([1], None, [0, 0]), LAST: ([0], None, [1, 0]), SHARED: ([0.5], None, [0.5, 0])},
            nature=Nature.TIE, total=1.0, **scattered(reduce))
        for reduce, other in (("amax", 1.0), ("amin", 3.0))
    ),
    *(masked(op, "nan-left-out", ([NAN, 2.0, 3.0],), ([0, *shares],), where=[False, True, True], **more, **WHOLE)
      for op, shares, more in PICKED),
    *(masked(op, "infinite-left-out", ([INF, 2.0, 3.0],), ([0, *shares],), where=[False, True, True], **more, **WHOLE)
      for op, shares, more in PICKED),
    masked("sum_where", "none-picked", ([2.0, NAN],), ([0, 0],), where=[False, False], **WHOLE),
    border("mean_where", "none-picked", ([2.0, 3.0],), slopes("nan", "zero"), where=[False, False], **WHOLE),
    *(point
      for op, number, far in (("max_where", -INF, 1.0), ("min_where", INF, 5.0))
      for point in (
          tie(op, "tie-of-2", [3.0, far, 3.0, 3.0], [0, 2], where=[True, True, True, False], initial=number, **WHOLE),
          limit(op, "beyond-the-number", ([3.0, far],), ([0, 0],), where=[True, True], initial=3.0 + 3.0 - far, **WHOLE),
          limit(op, "none-picked", ([3.0, far],), ([0, 0],), where=[False, False], initial=2.0, **WHOLE),
          fair(op, "at-the-number", ([3.0, far],), (([0, 0], [1, 0]),),
              {"zero": ([0, 0],), SHARED: ([0.5, 0],), "one": ([1, 0],)}, where=[True, True], initial=3.0, **WHOLE),
      )),
    limit("weighted_logsumexp", "weight-of-0", ([0.0, 0.0], [1.0, 0.0]), ([1, 0], [1, 1]), **WHOLE),
    limit("weighted_logsumexp", "negative-weight", ([0.0, 0.0], [2.0, -1.0]), ([2, -1], [1, 1]), **WHOLE),
    limit("weighted_logsumexp", "negative-weight-in-rows", ([[0.0, 0.0], [1.0, 1.0]], [2.0, -1.0]), ([[2, -1], [6, -3]], [4, 4]),
        cotangent=[1.0, 3.0], axis=1, keepdims=False),
    finite("weighted_logsumexp", "at-1000", ([1000.0, 1000.0], [0.25, 0.75]), ([0.25, 0.75], [1, 1]), **WHOLE),
    finite("weighted_logsumexp", "with-minus-infinity", ([-INF, 0.0], [5.0, 1.0]), ([0, 1], [0, 1]), **WHOLE),
    border("weighted_logsumexp", "below-0", ([0.0], [-1.0]), {"nan": ([NAN], [NAN]), "zero": ([0], [0]), "continued": ([1], [-1])}, **WHOLE),
)  # fmt: skip
