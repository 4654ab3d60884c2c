"""The conventions of torch at special points that differ from the usual ones."""

from __future__ import annotations

from collections.abc import Mapping

DEPARTURES: Mapping[str, str | None] = {
    "abs/at-nan": "zero",
    "masked_attention/no-key-left": "zero",
    "biased_attention/no-key-left": "zero",
    "maximum/beside-nan": "one each",
    "minimum/beside-nan": "one each",
    # Not fair: a known failure.
    "clip_between/below-equal-bounds": None,
    "aminmax/beside-nan": "nan",
    "fmax": "first",
    "fmin": "first",
    "relu/at-nan": "one",
    "relu6/at-nan": "one",
    "hard_tanh/at-nan": "one",
    "elu/at-nan": "one",
    "celu/at-nan": "one",
    "xlogy/at-0-0-in-the-factor": "zero",
    "xlog1py/at-0-minus-1-in-the-factor": "zero",
    "atan2/at-0": "zero",
    "complex_angle/at-0": "zero",
    "cummax/tie-of-2": "last",
    "cummin/tie-of-2": "last",
    "median/tie-of-3": "middle",
    "median/all-equal": "middle",
    "nanmedian/all-nan": "first",
    "nanquantile/all-nan": "first",
    "logdet/below-0": "zero",
    "kl_div/of-nothing-in-the-target": "nan",
    "weighted_nll/all-ignored": "zero",
    "weighted_cross_entropy/all-ignored": "zero",
    "margin_ranking/at-the-margin": "counted",
    "hinge_embedding/at-the-margin": "left",
    "triplet_margin/at-the-margin": "counted",
    # Not fair: a known failure.
    "hypot/at-0": None,
    # The tape and torch.func differ.
    "slogdet/singular": None,
    # Which entry is the smallest pivot decides its signs.
    "logdet/singular": None,
    # What it gives has a name in float32 alone.
    "binary_cross_entropy/certain-and-wrong": None,
}
