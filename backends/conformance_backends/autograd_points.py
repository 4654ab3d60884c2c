"""The conventions of autograd at special points that differ from the usual ones."""

from __future__ import annotations

from collections.abc import Mapping

DEPARTURES: Mapping[str, str | None] = {
    "clip/at-nan": "one",
    "clip": "zero",
    "fmax/both-nan": "zero",
    "fmin/both-nan": "zero",
    "sqrt/at-minus-0": "infinite",
    "bessel_j0/at-infinity": "nan",
    "bessel_j1/at-infinity": "nan",
    "std/single-correction-1": "zero",
    "vector_norm/at-0-ord-1": "raises",
    "vector_norm/with-a-0-ord-1": "raises",
    "vector_norm/huge-ord-1": "raises",
    "vector_norm/tie-ord-minus-infinity": "raises",
    "det/singular": "raises",
    "det/of-rank-1": "raises",
    "det/of-rank-2": "raises",
    "det/of-0": "raises",
    # None of the allowed conventions: known failures.
    "hypot/at-0": None,
    "vector_norm/at-0-ord-2": None,
    "vector_norm/tie-ord-infinity": None,
    "vector_norm/ties-in-rows": None,
    "vector_norm/ties-in-columns": None,
    "vector_norm/at-0-ord-3": None,
    "std/equal-2-correction-0": None,
    "std/equal-3-correction-0": None,
    "std/equal-3-correction-1": None,
}
