"""The conventions of jax at special points that differ from the usual ones."""

from __future__ import annotations

from collections.abc import Mapping

DEPARTURES: Mapping[str, str | None] = {
    "abs/at-nan": "minus one",
    "clip/at-nan": "zero",
    "hard_tanh/at-nan": "one",
    "abs": "right",
    "clip": "middle",
    "clip_between": "shared equally",
    "clip_between/at-equal-bounds": "shared twice",
    "clip_between/at-nan": "zero",
    "logaddexp/both-infinite": "one each",
    "leaky_relu/at-0": "right",
    "prelu/at-0": "right",
    "hard_tanh/at-minus-1": "right",
    "hard_tanh/at-1": "left",
    "cummax/tie-of-2": "shared equally",
    "cummin/tie-of-2": "shared equally",
    "median/tie-of-3": "middle",
    "median/all-equal": "middle",
    "vector_norm/at-0-ord-1": "along the diagonal",
    "vector_norm/with-a-0-ord-1": "right",
    "slogdet/singular": "infinite",
    "inv/singular": "nan",
    "cholesky/singular": "nan",
    "nanmean/all-nan": "zero",
    "fmax": "last",
    "fmin": "last",
    "fmax/both-nan": "first",
    "fmin/both-nan": "first",
    "ndtri/at-0": "zero",
    "ndtri/at-1": "zero",
    "rel_entr/at-0": "zero",
    "rel_entr/at-0-0": "zero",
    "max_pool2d/minus-infinity-beside-the-margin": "zero",
    "max_pool3d/minus-infinity-beside-the-margin": "zero",
    "gamma/at-0": "nan",
    "spence": "zero",
    # None of the allowed conventions: known failures.
    "vector_norm/at-0-ord-2": None,
    "vector_norm/at-0-ord-3": None,
    "std/equal-2-correction-0": None,
    "std/equal-3-correction-0": None,
    "std/equal-3-correction-1": None,
    # What it gives has no name.
    "hypot/at-0": None,
    "clip/between-equal-bounds": None,
    "hypot/with-infinity": None,
    "solve/singular": None,
}
