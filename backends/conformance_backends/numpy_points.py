"""The conventions of the reference engine at special points that differ from the usual ones."""

from __future__ import annotations

from collections.abc import Mapping

DEPARTURES: Mapping[str, str | None] = {
    "pow/negative-base-in-the-exponent": "zero",
    "gelu_tanh/at-minus-infinity": "zero",
    "gelu_tanh/at-infinity": "one",
    "median/tie-of-2": "shared equally",
    "nanmean/all-nan": "zero",
    "fmax/both-nan": "one each",
    "fmin/both-nan": "one each",
    "max_pool1d": "shared equally",
    "max_pool2d": "shared equally",
    "max_pool3d": "shared equally",
    "adaptive_max_pool2d": "shared equally",
    "nanmedian/tie-beside-nan": "shared equally",
    "logsumexp/all-minus-infinity": "half",
    "logsumexp/with-infinity": "selected",
    "log_ndtr/at-minus-infinity": "infinite",
}
