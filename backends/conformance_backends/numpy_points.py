"""Where the reference engine departs from the usual election of a special point, as `conformance atlas numpy --elections` measures it."""

from __future__ import annotations

from collections.abc import Mapping

DEPARTURES: Mapping[str, str | None] = {
    "pow/negative-base-in-the-exponent": "zero",
    "gelu_tanh/at-minus-infinity": "zero",
    "gelu_tanh/at-infinity": "one",
    "median/tie-of-2": "shared equally",
    "max_pool2d": "shared equally",
    "logsumexp/with-infinity": "nan",
}
