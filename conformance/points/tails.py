"""Tails, where a gradient is many orders of magnitude smaller than elsewhere and not zero; shoulders, where it is nearly one."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np

from conformance.points.constructors import finite, limit, valued
from conformance.points.point import TAIL, Extremes, Given, Nature, SpecialPoint

FAR = math.exp(-40)
# Where a slope is nearly one: an engine that takes it for one from some number on is wrong in double precision.
SHOULDER = 24.0
# Of gelu at -9: Φ(x) + x φ(x), of which the second term is nearly all.
GELU = math.erfc(9 / math.sqrt(2)) / 2 - 9 * math.exp(-81 / 2) / math.sqrt(2 * math.pi)
NEAR_1 = 1 / (1 + math.exp(-SHOULDER))
ROW: dict[str, Any] = {"axis": -1}
SUM: dict[str, Any] = {"reduction": "sum"}


def tail(
    op: str, name: str, operands: Given, gradients: Given, cotangent: Any = None, **parameters: Any
) -> SpecialPoint:
    """A point at which the rule gives small gradients with a small relative error."""
    return limit(op, name, operands, gradients, nature=Nature.TAIL, cotangent=cotangent, **parameters)


def far_out(extremes: Extremes) -> float:
    """Where what a value lacks to one is a few rounding errors of one, and no whole number of them."""
    return 3 / (8 * float(np.finfo(extremes.dtype).eps))


SHOULDERS = (
    finite("softplus", "on-the-shoulder", (SHOULDER,), (NEAR_1,)),
    finite("log_sigmoid", "on-the-shoulder", (-SHOULDER,), (NEAR_1,)),
    finite("silu", "on-the-shoulder", (SHOULDER,), (NEAR_1 * (1 + SHOULDER * (1 - NEAR_1)),)),
    finite("logaddexp", "on-the-shoulder", (SHOULDER, 0.0), (NEAR_1, None)),
    finite("binary_cross_entropy_with_logits", "on-the-shoulder", (SHOULDER, 0.0), (NEAR_1, None), **SUM),
    finite("soft_margin", "on-the-shoulder", (-SHOULDER, 1.0), (-NEAR_1, None), **SUM),
)  # fmt: skip
# Values that a formula loses which adds a small number to 1.
SMALL_VALUES = tuple(
    replace(valued(op, name, operands), value_error=lambda extremes: TAIL)
    for op, name, operands in (
        ("logaddexp", "beside-0", ([0.0, -40.0], [-40.0, 0.0])),
        ("logaddexp2", "beside-0", ([0.0, -60.0], [-60.0, 0.0])),
    )
)
POINTS: tuple[SpecialPoint, ...] = (
    *SHOULDERS,
    *SMALL_VALUES,
    tail("sigmoid", "in-the-left-tail", (-40.0,), (FAR,)),
    tail("log_sigmoid", "in-the-right-tail", (40.0,), (FAR,)),
    tail("softplus", "in-the-left-tail", (-40.0,), (FAR,)),
    tail("silu", "in-the-left-tail", (-40.0,), (-39 * FAR,)),
    tail("gelu", "in-the-left-tail", (-9.0,), (GELU,)),
    tail("elu", "in-the-left-tail", (-40.0,), (FAR,), alpha=1.0),
    tail("celu", "in-the-left-tail", (-20.0,), (FAR,), alpha=0.5),
    tail("tanh_shrink", "near-0", (2.0**-20,), (2.0**-40,)),
    tail("softsign", "far-out", lambda e: (far_out(e),), lambda e: ((1 + far_out(e)) ** -2,)),
    tail("asinh", "far-out", lambda e: (e.huge,), lambda e: (1 / e.huge,)),
    tail("acosh", "far-out", lambda e: (e.huge,), lambda e: (1 / e.huge,)),
    tail("log", "far-out", lambda e: (e.huge,), lambda e: (1 / e.huge,)),
    tail("log1p", "far-out", lambda e: (e.huge,), lambda e: (1 / e.huge,)),
    tail("sqrt", "far-out", lambda e: (e.huge,), lambda e: (0.5 / math.sqrt(e.huge),)),
    tail("exp", "in-the-left-tail", (-40.0,), (FAR,)),
    tail("expm1", "in-the-left-tail", (-40.0,), (FAR,)),
    tail("logaddexp", "in-a-tail", (40.0, 0.0), (None, FAR)),
    tail("logsumexp", "in-a-tail", ([0.0, 40.0],), ([FAR, 1],), axis=None, keepdims=False),
    tail("binary_cross_entropy_with_logits", "in-the-left-tail", (-40.0, 0.0), (FAR, None), **SUM),
    tail("soft_margin", "in-the-right-tail", (40.0, 1.0), (-FAR, None), **SUM),
)  # fmt: skip
