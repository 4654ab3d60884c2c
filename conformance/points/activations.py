"""Special points of the activations: kinks, and saturated ends where exponentials overflow."""

from __future__ import annotations

from typing import Any

from conformance.points.constructors import INF, NAN, border, finite, kink, limit, masked, slopes
from conformance.points.point import SpecialPoint

SELU_SCALE, SELU_ALPHA = 1.0507009873554805, 1.6732632423543772  # Klambauer et al. 2017, eq. 14

KINKS = (
    kink("relu", "at-0", (0.0,), (0, 1)),
    kink("relu", "at-minus-0", (-0.0,), (0, 1)),
    kink("relu6", "at-0", (0.0,), (0, 1)),
    kink("relu6", "at-6", (6.0,), (1, 0)),
    kink("leaky_relu", "at-0", (0.0,), (0.25, 1), negative_slope=0.25),
    kink("prelu", "at-0", (0.0, 0.25), (0.25, 1), 0.0),
    kink("elu", "at-0", (0.0,), (0.5, 1), alpha=0.5),
    limit("elu", "smooth-at-0", (0.0,), (1,), alpha=1.0),
    limit("celu", "smooth-at-0", (0.0,), (1,), alpha=0.5),
    kink("selu", "at-0", (0.0,), (SELU_SCALE * SELU_ALPHA, SELU_SCALE)),
    kink("hard_tanh", "at-minus-1", (-1.0,), (0, 1)),
    kink("hard_tanh", "at-1", (1.0,), (1, 0)),
    kink("hard_sigmoid", "at-minus-3", (-3.0,), (0, 1 / 6)),
    kink("hard_sigmoid", "at-3", (3.0,), (1 / 6, 0)),
    kink("hard_swish", "at-minus-3", (-3.0,), (0, -0.5)),
    kink("hard_swish", "at-3", (3.0,), (1.5, 1)),
    kink("soft_shrink", "at-minus-threshold", (-0.5,), (1, 0), threshold=0.5),
    kink("soft_shrink", "at-threshold", (0.5,), (0, 1), threshold=0.5),
    border("hard_shrink", "at-threshold", (0.5,), slopes("zero", "one"), threshold=0.5),
    limit("softsign", "at-0", (0.0,), (1,)),
    limit("softsign", "at-minus-0", (-0.0,), (1,)),
)

# The limits of the slope at minus infinity and at infinity.
ASYMPTOTIC_SLOPES = {
    "sigmoid": (0, 0), "log_sigmoid": (1, 0), "softplus": (0, 1), "silu": (0, 1), "mish": (0, 1),
    "gelu_tanh": (0, 1), "tanh_shrink": (1, 1), "softsign": (0, 0), "relu": (0, 1), "selu": (0, SELU_SCALE),
    "hard_swish": (0, 1), "squareplus": (0, 1), "elu": (0, 1), "celu": (0, 1),
}  # fmt: skip
PARAMETERS: dict[str, dict[str, Any]] = {
    "squareplus": {"b": 4.0},
    "elu": {"alpha": 1.0},
    "celu": {"alpha": 0.5},
}
SLOW = ("squareplus", "softsign")  # their slopes at 1000 are not at the limit yet
EXPONENTIAL = ("sigmoid", "log_sigmoid", "softplus")  # their slopes at infinity are the limits exactly

FAR = tuple(
    finite(op, name, place, (slope,), **PARAMETERS.get(op, {}))
    for op, (left, right) in ASYMPTOTIC_SLOPES.items()
    for name, place, slope in (
        ("at-minus-1000", (-1000.0,), left),
        ("at-1000", (1000.0,), right),
        ("at-minus-huge", lambda e: (-e.huge,), left),
        ("at-huge", lambda e: (e.huge,), right),
    )
    if op not in SLOW or "1000" not in name
)  # fmt: skip
AT_INFINITY = tuple(
    finite(op, name, place, (slope,))
    for op in EXPONENTIAL
    for name, place, slope in (
        ("at-minus-infinity", (-INF,), ASYMPTOTIC_SLOPES[op][0]),
        ("at-infinity", (INF,), ASYMPTOTIC_SLOPES[op][1]),
    )
)
# Where x multiplies the exponential, or is divided by a root, the slope at infinity depends on the value given to infinity · 0.
PRODUCTS_AT_INFINITY = tuple(
    border(op, name, place, slopes("zero", "one", "nan"), **PARAMETERS.get(op, {}))
    for op in ("silu", "mish", "gelu_tanh", "squareplus")
    for name, place in (("at-minus-infinity", (-INF,)), ("at-infinity", (INF,)))
)

SMOOTH = (
    limit("sigmoid", "at-0", (0.0,), (0.25,)),
    limit("silu", "at-0", (0.0,), (0.5,)),
    limit("squareplus", "without-b", ([2.0, -2.0],), ([1, 0],), cotangent=[1.0, 3.0], b=0.0),
    limit("mish", "at-0", (0.0,), (0.6,)),
    limit("gelu_tanh", "at-0", (0.0,), (0.5,)),
    limit("softplus", "at-0", (0.0,), (0.5,)),
    finite("tanh_shrink", "at-0", (0.0,), (0,)),
    finite("softsign", "at-least", lambda e: (e.least,), (1,)),
    border("logit", "at-0", (0.0,), slopes("infinite", "nan", "zero")),
    border("logit", "at-1", (1.0,), slopes("infinite", "nan", "zero")),
)

AT_NAN = tuple(
    border(op, "at-nan", (NAN,), slopes("nan", "zero", "one"))
    for op in ("relu", "relu6", "hard_tanh", "hard_sigmoid")
) + tuple(
    # A slope that is a number where the value is none trains on as if nothing had happened.
    border(op, "at-nan", (NAN,), slopes("nan", "zero", "one"), **PARAMETERS.get(op, {}))
    for op in (*ASYMPTOTIC_SLOPES, "tanh", "gelu")
    if op not in ("relu", "selu")
)

ROW: dict[str, Any] = {"axis": -1}
ALONG_AXIS = (
    limit("softmax", "equal", ([2.0, 2.0, 2.0],), ([2 / 9, -1 / 9, -1 / 9],), cotangent=[1, 0, 0], **ROW),
    limit("softmax", "single", ([3.0],), ([0],), cotangent=[2], **ROW),
    finite("softmax", "at-1000", ([1000.0, -1000.0],), ([0, 0],), cotangent=[1, 2], **ROW),
    finite("softmax", "at-huge", lambda e: ([e.huge, e.huge, -e.huge],), ([-0.25, 0.25, 0],),
        cotangent=[1, 2, 4], **ROW),
    finite("softmax", "with-minus-infinity", ([-INF, 0.0, 0.0],), ([0, -0.5, 0.5],), cotangent=[1, 2, 4],
        **ROW),
    border("softmax", "all-minus-infinity", ([-INF, -INF],), slopes("nan", "zero"), cotangent=[1, 2], **ROW),
    limit("log_softmax", "equal", ([2.0, 2.0],), ([1.5, -1.5],), cotangent=[2, -1], **ROW),
    limit("log_softmax", "single", ([3.0],), ([0],), cotangent=[2], **ROW),
    finite("log_softmax", "at-1000", ([1000.0, -1000.0],), ([-2, 2],), cotangent=[1, 2], **ROW),
    finite("log_softmax", "at-huge", lambda e: ([e.huge, e.huge],), ([1.5, -1.5],), cotangent=[2, -1], **ROW),
    finite("log_softmax", "with-minus-infinity", ([-INF, 0.0, 0.0],), ([0, 1.5, -1.5],), cotangent=[0, 2, -1],
        **ROW),
    border("log_softmax", "all-minus-infinity", ([-INF, -INF],), slopes("nan", "zero"), cotangent=[1, 2],
        **ROW),
    finite("glu", "at-1000", ([3.0, 5.0, 1000.0, -1000.0],), ([1, 0, 0, 0],), cotangent=[1, 2], axis=0),
)  # fmt: skip

CAUSAL: dict[str, Any] = {"is_causal": True}
ATTENTION = (
    limit("scaled_dot_product_attention", "equal-scores",
        ([[0.0]], [[1.0], [1.0]], [[2.0], [4.0]]), ([[0]], [[0], [0]], [[0.5], [0.5]]), is_causal=False),
    finite("scaled_dot_product_attention", "scores-of-1000",
        ([[1.0]], [[1000.0], [-1000.0]], [[2.0], [4.0]]), ([[0]], [[0], [0]], [[1], [0]]), is_causal=False),
    masked("scaled_dot_product_attention", "one-key-left",
        ([[3.0]], [[1.0], [5.0]], [[2.0], [4.0]]), ([[0]], [[0], [0]], [[1], [0]]), **CAUSAL),
)  # fmt: skip

EPS = 2.0**-14  # its square root is exact
NORMALISED = (
    limit("layer_norm", "equal", ([1.0, 1.0, 1.0], [1.0] * 3, [0.0] * 3),
        ([-128, 0, 128], [0, 0, 0], [1, 2, 3]), cotangent=[1, 2, 3], eps=EPS),
    limit("layer_norm", "single", ([5.0], [2.0], [0.0]), ([0], [0], [3]), cotangent=[3], eps=EPS),
    limit("rms_norm", "at-0", ([0.0, 0.0], [1.0, 2.0]), ([128, 512], [0, 0]), cotangent=[1, 2], eps=EPS),
    limit("batch_norm", "equal", ([[1.0], [1.0], [1.0]], [1.0], [0.0]), ([[-128], [0], [128]], [0], [6]),
        cotangent=[[1], [2], [3]], eps=EPS),
)  # fmt: skip

POINTS: tuple[SpecialPoint, ...] = (
    *KINKS, *FAR, *AT_INFINITY, *PRODUCTS_AT_INFINITY, *SMOOTH, *AT_NAN, *ALONG_AXIS, *ATTENTION, *NORMALISED,
)  # fmt: skip
