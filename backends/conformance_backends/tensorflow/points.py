"""The conventions of TensorFlow at special points that differ from the usual ones."""

from __future__ import annotations

from collections.abc import Mapping

# None: none of the allowed conventions, a known failure; or the engine does not have the call.
DEPARTURES: Mapping[str, str | None] = {
    "hard_swish/at-nan": "nan",
    "elu/at-nan": "one",
    "celu/at-nan": "zero",
    "clip/at-min-alone": None,
    "clip/at-max-alone": None,
    "maximum": "first",
    "minimum": "first",
    "maximum/beside-nan": "all to the number",
    "minimum/beside-nan": "all to the number",
    "pow/negative-base-in-the-exponent": "zero",
    "xlogy/at-0-0-in-the-factor": "zero",
    "selu/at-0": "right",
    "hard_tanh/at-minus-1": "right",
    "hard_tanh/at-1": "left",
    "vector_norm/at-0-ord-2": None,
    "vector_norm/at-0-ord-3": None,
    "std": None,
    "var/single-correction-1": None,
    "solve/singular": None,
    "complex_angle/at-0": None,
    "hypot/at-0": None,
    "cbrt/at-0": "nan",  # the slope of a root, times that of a sign
    "nanmean/all-nan": "zero",
    "xlog1py/at-0-minus-1-in-the-factor": "zero",
    "bessel_j0/at-infinity": "nan",
    "bessel_j1/at-infinity": "nan",
    "adaptive_max_pool2d/tie-of-2": "last",  # of each column first, then among the columns
    "cholesky/singular": "nan",
}
