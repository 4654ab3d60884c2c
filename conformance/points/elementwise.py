"""Special points of the elementwise ops: kinks and ties, removable singularities, ends of domains, extremes."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace

import numpy as np

from conformance.points.constructors import (
    ALL,
    FIRST,
    INF,
    LAST,
    NAN,
    SHARED,
    border,
    fair,
    finite,
    kink,
    limit,
    masked,
    slopes,
    tied_pair,
)
from conformance.points.point import Extremes, Nature, SpecialPoint

DIAGONAL = math.sqrt(0.5)
LN2 = math.log(2)

KINKS = (
    kink("abs", "at-0", (0.0,), (-1, 1)),
    kink("abs", "at-minus-0", (-0.0,), (-1, 1)),
    kink("clip", "at-min", (-1.0,), (0, 1), min=-1.0, max=1.0),
    kink("clip", "at-max", (1.0,), (1, 0), min=-1.0, max=1.0),
    kink("clip", "at-min-alone", (0.5,), (0, 1), min=0.5, max=None),
    kink("clip", "at-max-alone", (0.5,), (1, 0), min=None, max=0.5),
    tied_pair("maximum", "tie", (1.0, 1.0)),
    tied_pair("maximum", "tie-of-signed-zeros", (0.0, -0.0)),
    tied_pair("maximum", "tie-at-infinity", (INF, INF)),
    tied_pair("minimum", "tie", (1.0, 1.0)),
    tied_pair("minimum", "tie-of-signed-zeros", (0.0, -0.0)),
    tied_pair("minimum", "tie-at-infinity", (INF, INF)),
    *(fair(op, "at-0", (0.0, 0.0), ((-1, 1), (-1, 1)), {
        "zero": (0.0, 0.0), "along the diagonal": (DIAGONAL, DIAGONAL), "one": (1.0, 1.0)}) for op in ("hypot", "complex_abs")),
)  # fmt: skip


def tied_bounds(name: str, operands: tuple[float, float, float], *tied: int) -> SpecialPoint:
    """A value that some of a number and its two bounds attain, each of which alone would move it one way."""
    alone = [tuple(float(i == place) for i in range(3)) for place in tied]
    everywhere = tuple(float(i in tied) for i in range(3))
    named = {
        SHARED: tuple(share / len(tied) for share in everywhere),
        FIRST: alone[0],
        LAST: alone[-1],
        ALL: everywhere,
        "neither": (0.0,) * 3,
    }
    if len(tied) == 3:
        named["shared twice"] = (0.25, 0.25, 0.5)
    return fair(
        "clip_between",
        name,
        operands,
        tuple((0, share) for share in everywhere),
        named,
        nature=Nature.TIE,
        total=1.0,
    )


BOUNDS = (
    tied_bounds("at-lower", (1.0, 1.0, 2.0), 0, 1),
    tied_bounds("at-upper", (2.0, 1.0, 2.0), 0, 2),
    tied_bounds("below-equal-bounds", (0.0, 1.0, 1.0), 1, 2),
    tied_bounds("at-equal-bounds", (1.0, 1.0, 1.0), 0, 1, 2),
    limit("clip_between", "above-equal-bounds", (2.0, 1.0, 1.0), (0, 0, 1)),
    limit("clip_between", "between-exchanged-bounds", (1.5, 2.0, 1.0), (0, 0, 1)),
    limit("clip_between", "below-exchanged-bounds", (0.0, 2.0, 1.0), (0, 0, 1)),
    limit("clip_between", "above-exchanged-bounds", (3.0, 2.0, 1.0), (0, 0, 1)),
    limit("clip_between", "infinite-bounds", (1.0, -INF, INF), (1, 0, 0)),
    limit("clip_between", "at-infinity", (INF, 1.0, 2.0), (0, 0, 1)),
    limit("clip_between", "at-minus-infinity", (-INF, 1.0, 2.0), (0, 1, 0)),
    border("clip_between", "at-nan", (NAN, 1.0, 2.0), {
        "all to NaN": (1.0, 0.0, 0.0), "nan": (NAN, NAN, NAN), "nan to NaN": (NAN, 0.0, 0.0), "zero": (0.0, 0.0, 0.0),
        "shared twice": (0.25, 0.25, 0.5)}),
)  # fmt: skip

LIMITS = (
    limit("frac", "at-0", (0.0,), (1,)),
    limit("frac", "at-minus-0", (-0.0,), (1,)),
    limit("sinc", "at-0", (0.0,), (0,)),
    limit("sinc", "at-1", (1.0,), (-1,)),
    limit("square", "at-0", (0.0,), (0,)),
    limit("tan", "at-0", (0.0,), (1,)),
    limit("atan2", "positive-axis", (0.0, 2.0), (0.5, 0)),
    limit("atan2", "upper-axis", (2.0, 0.0), (0, -0.5)),
    limit("atan2", "lower-axis", (-2.0, 0.0), (0, 0.5)),
    *(
        masked("nan_to_num", f"at-{name}", (place,), (0,), nan=0.0, posinf=None, neginf=None)
        for name, place in (("nan", NAN), ("infinity", INF), ("minus-infinity", -INF))
    ),
    border("atan2", "at-the-cut", (0.0, -2.0), {"continued": (-0.5, 0.0), "nan": (NAN, NAN)}),
    limit("hypot", "on-an-axis", (3.0, 0.0), (1, 0)),
    limit("copysign", "beside-0", (2.0, 0.0), (1, 0)),
    limit("copysign", "beside-minus-0", (2.0, -0.0), (-1, 0)),
    limit("pow", "to-the-0", (2.0, 0.0), (0, LN2)),
    limit("pow", "0-to-the-0", (0.0, 0.0), (0, None)),
    limit("pow", "0-to-the-1", (0.0, 1.0), (1, 0)),
    limit("pow", "0-to-the-2", (0.0, 2.0), (0, 0)),
    limit("pow", "0-to-the-3", (0.0, 3.0), (0, 0)),
    limit("pow", "1-to-the-2", (1.0, 2.0), (2, 0)),
    *(limit("power_of", f"0-to-the-{n}", (0.0,), (int(n == 1),), exponent=n) for n in (0, 1, 2, 3)),
    limit("pow", "negative-base", (-2.0, 3.0), (12, None)),
    limit("pow", "negative-base-squared", (-2.0, 2.0), (-4, None)),
    limit("xlogy", "at-0-0", (0.0, 0.0), (None, 0)),
    limit("xlogy", "at-0", (0.0, 2.0), (LN2, 0)),
    limit("divide", "equal", (3.0, 3.0), (1 / 3, -1 / 3)),
    limit("divide", "0-over-x", (0.0, 2.0), (0.5, 0)),
    limit("logaddexp", "equal", (2.0, 2.0), (0.5, 0.5)),
    limit("logaddexp2", "equal", (2.0, 2.0), (0.5, 0.5)),
    limit("lerp", "at-0", (1.0, 3.0, 0.0), (1, 0, 2)),
    limit("lerp", "at-1", (1.0, 3.0, 1.0), (0, 1, 2)),
)

ENDS = (
    # Constant between equal bounds; but where both bounds pass a gradient, it passes here.
    border("clip", "between-equal-bounds", (1.0,), slopes("zero", "one", "half"), min=1.0, max=1.0),
    border("frac", "at-1", (1.0,), slopes("one", "zero", "nan")),
    border("frac", "at-minus-1", (-1.0,), slopes("one", "zero", "nan")),
    border("sqrt", "at-0", (0.0,), slopes("infinite", "nan", "zero")),
    border("sqrt", "at-minus-0", (-0.0,), slopes("infinite", "minus infinite", "nan", "zero")),
    border("cbrt", "at-0", (0.0,), slopes("infinite", "nan", "zero")),
    border("rsqrt", "at-0", (0.0,), slopes("minus infinite", "nan", "zero")),
    border("reciprocal", "at-0", (0.0,), slopes("minus infinite", "nan", "zero")),
    border("log", "at-0", (0.0,), slopes("infinite", "nan", "zero")),
    border("log", "at-minus-0", (-0.0,), slopes("infinite", "minus infinite", "nan", "zero")),
    border("log", "below-0", (-1.0,), slopes("nan", continued=-1.0)),
    border("log2", "at-0", (0.0,), slopes("infinite", "nan", "zero")),
    border("log10", "at-0", (0.0,), slopes("infinite", "nan", "zero")),
    border("log1p", "at-minus-1", (-1.0,), slopes("infinite", "nan", "zero")),
    border("asin", "at-1", (1.0,), slopes("infinite", "nan", "zero")),
    border("acos", "at-minus-1", (-1.0,), slopes("minus infinite", "nan", "zero")),
    border("acosh", "at-1", (1.0,), slopes("infinite", "nan", "zero")),
    border("atanh", "at-1", (1.0,), slopes("infinite", "nan", "zero")),
    border("pow", "0-to-the-half", (0.0, 0.5), {
        "infinite": (INF, 0.0), "nan": (NAN, 0.0), "zero": (0.0, 0.0)}, (None, (0, 0))),
    border("pow", "0-to-the-0-in-the-exponent", (0.0, 0.0), {
        "zero": (None, 0.0), "minus infinite": (None, -INF), "nan": (None, NAN)}),
    border("pow", "0-to-the-minus-1", (0.0, -1.0), {
        "minus infinite": (-INF, None), "nan": (NAN, None), "zero": (0.0, None)}),
    border("pow", "negative-base-in-the-exponent", (-2.0, 3.0), {
        "nan": (None, NAN), "zero": (None, 0.0), "real part": (None, -8 * LN2)}),
    border("xlogy", "at-0-0-in-the-factor", (0.0, 0.0), {
        "minus infinite": (-INF, None), "zero": (0.0, None), "nan": (NAN, None)}),
    border("hypot", "with-infinity", (INF, 1.0), {"limit": (1.0, 0.0), "nan": (NAN, 0.0), "zero": (0.0, 0.0)}),
    limit("polar", "of-no-size", (0.0, 0.0), (1, 0)),
    border("complex_angle", "at-0", (0.0, 0.0), {"nan": (NAN, NAN), "zero": (0.0, 0.0), "infinite": (-INF, INF)}),
    border("atan2", "at-0", (0.0, 0.0), {"nan": (NAN, NAN), "zero": (0.0, 0.0), "infinite": (INF, -INF)}),
    border("divide", "by-0", (1.0, 0.0), {
        "infinite": (INF, -INF), "nan": (NAN, NAN), "zero": (0.0, 0.0)}),
    border("divide", "by-minus-0", (1.0, -0.0), {
        "infinite": (-INF, -INF), "nan": (NAN, NAN), "zero": (0.0, 0.0)}),
    border("divide", "0-by-0", (0.0, 0.0), {"infinite, nan": (INF, NAN), "nan": (NAN, NAN), "zero": (0.0, 0.0)}),
    border("logaddexp", "both-minus-infinity", (-INF, -INF), {
        "nan": (NAN, NAN), "shared equally": (0.5, 0.5), "zero": (0.0, 0.0), "one each": (1.0, 1.0)}),
    border("logaddexp", "both-infinite", (INF, INF), {
        "nan": (NAN, NAN), "shared equally": (0.5, 0.5), "zero": (0.0, 0.0), "one each": (1.0, 1.0)}),
)  # fmt: skip

AT_NAN = (
    border("abs", "at-nan", (NAN,), slopes("nan", "zero", "one", "minus one")),
    border("clip", "at-nan", (NAN,), slopes("nan", "zero", "one"), min=-1.0, max=1.0),
    *(border(op, "beside-nan", (NAN, 1.0), {
        "all to NaN": (1.0, 0.0), "shared equally": (0.5, 0.5), "nan": (NAN, NAN), "nan to NaN": (NAN, 0.0),
        "zero": (0.0, 0.0), "all to the number": (0.0, 1.0), "one each": (1.0, 1.0)})
      for op in ("maximum", "minimum")),
)  # fmt: skip


def _near(
    slope: Callable[[np.longdouble], np.longdouble], extremes: Extremes
) -> tuple[np.longdouble, np.longdouble]:
    """A slope at the edge, of an operand that is rounded once: what its size makes of that rounding."""
    exact = slope(np.longdouble(extremes.edge))
    rounding = exact * _rounded_once(extremes)
    return exact - rounding, exact + rounding


def _rounded_once(extremes: Extremes) -> float:
    """Of an exponential at the edge, relatively: what the size of the operand makes of one rounding of it."""
    return float(extremes.edge * np.finfo(extremes.dtype).eps)


EXTREME = (
    finite("tanh", "at-1000", (1000.0,), (0,)),
    finite("tanh", "at-minus-huge", lambda e: (-e.huge,), (0,)),
    finite("tanh", "at-infinity", (INF,), (0,)),
    finite("exp", "at-minus-1000", (-1000.0,), (0,)),
    finite("exp", "at-minus-infinity", (-INF,), (0,)),
    finite("expm1", "at-least", lambda e: (e.least,), (1,)),
    finite("expm1", "at-minus-huge", lambda e: (-e.huge,), (0,)),
    finite("log1p", "at-least", lambda e: (e.least,), (1,)),
    finite("sinh", "at-least", lambda e: (e.least,), (1,)),
    finite("tanh", "at-least", lambda e: (e.least,), (1,)),
    finite("sin", "at-least", lambda e: (e.least,), (1,)),
    replace(fair("sinh", "at-the-edge", lambda e: (e.edge,), lambda e: (_near(np.cosh, e),), {}, nature=Nature.FINITE),
        value_error=_rounded_once),
    replace(fair("cosh", "at-the-edge", lambda e: (e.edge,), lambda e: (_near(np.sinh, e),), {}, nature=Nature.FINITE),
        value_error=_rounded_once),
    finite("asinh", "at-huge", lambda e: (e.huge,), (0,)),
    finite("asinh", "at-least", lambda e: (e.least,), (1,)),
    finite("acosh", "at-huge", lambda e: (e.huge,), (0,)),
    finite("atan", "at-huge", lambda e: (e.huge,), (0,)),
    finite("atan", "at-infinity", (INF,), (0,)),
    finite("reciprocal", "at-huge", lambda e: (e.huge,), (0,)),
    finite("rsqrt", "at-huge", lambda e: (e.huge,), (0,)),
    finite("sqrt", "at-huge", lambda e: (e.huge,), (0,)),
    finite("log", "at-huge", lambda e: (e.huge,), (0,)),
    finite("hypot", "huge", lambda e: (3 * e.huge, 4 * e.huge), (0.6, 0.8)),
    finite("hypot", "small", lambda e: (3 * e.small, 4 * e.small), (0.6, 0.8)),
    finite("hypot", "least", lambda e: (3 * e.least, 4 * e.least), (0.6, 0.8)),
    finite("atan2", "huge", lambda e: (e.huge, e.huge), (0, 0)),
    finite("atan2", "small", lambda e: (e.small, e.small), lambda e: (0.5 / e.small, -0.5 / e.small)),
    finite("logaddexp", "far-apart", (1000.0, -1000.0), (1, 0)),
    finite("logaddexp", "huge-and-equal", lambda e: (e.huge, e.huge), (0.5, 0.5)),
    finite("logaddexp", "with-minus-infinity", (-INF, 0.0), (0, 1)),
    finite("logaddexp2", "far-apart", (2000.0, -2000.0), (1, 0)),
    finite("logaddexp2", "huge-and-equal", lambda e: (e.huge, e.huge), (0.5, 0.5)),
    finite("logaddexp2", "with-minus-infinity", (-INF, 0.0), (0, 1)),
    finite("divide", "huge-by-huge", lambda e: (e.huge, e.huge), lambda e: (1 / e.huge, -1 / e.huge)),
    finite("multiply", "by-least", lambda e: (e.least, 2.0), lambda e: (2, e.least)),
    finite("addcdiv", "small-by-small", lambda e: (0.0, e.small, e.small),
        lambda e: (1, 1 / e.small, -1 / e.small), value=1.0),
    # The square is no number, and its slope is one.
    finite("pow", "huge-to-the-2", lambda e: (e.huge, 2.0), lambda e: (2 * e.huge, None)),
    finite("power_of", "huge-squared", lambda e: (e.huge,), lambda e: (2 * e.huge,), exponent=2),
    finite("square", "at-huge", lambda e: (e.huge,), lambda e: (2 * e.huge,)),
    finite("pow", "huge-to-the-1", lambda e: (e.huge, 1.0), (1, None)),
)  # fmt: skip

MASKED = (
    masked("where", "infinity-not-selected", ([True, False], [1.0, INF], [INF, 2.0]),
        (None, [1, 0], [0, 2]), cotangent=[1, 2]),
    masked("where", "nan-not-selected", ([True, False], [1.0, NAN], [NAN, 2.0]), (None, [1, 0], [0, 2]), cotangent=[1, 2]),
    masked("where", "infinite-cotangent", ([True, False], [1.0, 2.0], [3.0, 4.0]),
        (None, [INF, 0], [0, 1]), cotangent=[INF, 1.0]),
    masked("masked_fill", "infinity-filled", ([1.0, INF], [False, True]), ([1, 0], None), cotangent=[1, 2], value=0.0),
    masked("masked_fill", "infinite-cotangent", ([1.0, 2.0], [False, True]), ([1, 0], None),
        cotangent=[1.0, INF], value=0.0),
)  # fmt: skip

POINTS: tuple[SpecialPoint, ...] = (*KINKS, *BOUNDS, *LIMITS, *ENDS, *AT_NAN, *EXTREME, *MASKED)
