"""The conventions of MyGrad at special points that differ from the usual ones."""

from __future__ import annotations

from collections.abc import Mapping

DEPARTURES: Mapping[str, str | None] = {
    "abs/at-nan": "zero",
    "elu/at-nan": "one",
    "vector_norm/tie-ord-infinity": "first",
    "vector_norm/tie-ord-minus-infinity": "first",
    "vector_norm/ties-in-rows": "first",
    "vector_norm/ties-in-columns": "first",
    "clip/at-nan": "one",
    "maximum/beside-nan": "all to the number",
    "minimum/beside-nan": "all to the number",
    "clip": "zero",
    "clip_between/at-nan": "all to NaN",
    "asin/at-1": "zero",
    "acos/at-minus-1": "zero",
    "elu/at-0": "right",
    "selu/at-0": "right",
    "max": "first",
    "min": "first",
    "var/single-correction-1": "raises",
    "std/single-correction-1": "raises",
    # None of the allowed conventions: known failures.
    "clip_between": None,
    "maximum": None,
    "minimum": None,
    "leaky_relu/at-0": None,
    "vector_norm/at-0-ord-2": None,
    "vector_norm/at-0-ord-3": None,
    "std/equal-2-correction-0": None,
    "std/equal-3-correction-0": None,
    "std/equal-3-correction-1": None,
}
