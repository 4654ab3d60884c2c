"""Special points of the special functions: symmetry at 0, tails that vanish, ends of domains."""

from __future__ import annotations

import math

import numpy as np

from conformance.points.constructors import INF, NAN, border, finite, kink, limit, slopes
from conformance.points.point import SpecialPoint

LN2, EULER = math.log(2), 0.5772156649015329
ROOT_TWO_OVER_PI = math.sqrt(2 / math.pi)

AT_0 = (
    limit("erfcx", "at-0", (0.0,), (-2 / math.sqrt(math.pi),)),
    limit("ndtr", "at-0", (0.0,), (1 / math.sqrt(2 * math.pi),)),
    limit("log_ndtr", "at-0", (0.0,), (ROOT_TWO_OVER_PI,)),
    limit("erfinv", "at-0", (0.0,), (math.sqrt(math.pi) / 2,)),
    limit("ndtri", "at-half", (0.5,), (math.sqrt(2 * math.pi),)),
    limit("i0", "at-0", (0.0,), (0,)),
    limit("i1", "at-0", (0.0,), (0.5,)),
    limit("i1", "at-minus-0", (-0.0,), (0.5,)),
    limit("bessel_j0", "at-0", (0.0,), (0,)),
    limit("bessel_j1", "at-0", (0.0,), (0.5,)),
    limit("bessel_j1", "at-minus-0", (-0.0,), (0.5,)),
    limit("multigammaln", "of-dimension-1", (1.0,), (-EULER,), p=1),
    limit("multigammaln", "of-dimension-2", (1.5,), (2 - 2 * EULER - 2 * LN2,), p=2),
    kink("i0e", "at-0", (0.0,), (1, -1)),
    limit("i1e", "at-0", (0.0,), (0.5,)),
    limit("xlog1py", "at-0", (0.0, 1.0), (LN2, 0)),
    limit("xlog1py", "at-0-minus-1", (0.0, -1.0), (None, 0)),
    limit("betaln", "equal", (2.0, 2.0), (-5 / 6, -5 / 6)),
    limit("gamma", "at-1", (1.0,), (-EULER,)),
    limit("gamma", "at-2", (2.0,), (1 - EULER,)),
    # Left of 0, beyond what the design draws: by the reflection formulas, whose cotangent is 0 at halves.
    limit("gammaln", "between-poles", (-1.25,), (3.7141391202135278,)),
    limit("gamma", "between-poles", (-1.25,), (14.564377962204727,)),
    limit("digamma", "between-poles", (-1.25,), (19.181879647671606,)),
    limit("polygamma", "between-poles", (-1.25,), (123.72136678366236,), n=1),
    limit("betainc", "at-half", (0.5,), (2 / math.pi,), a=0.5, b=0.5),
    limit("betainc", "at-0-order-1", (0.0,), (2.5,), a=1.0, b=2.5),
    limit("betainc", "at-0-order-2", (0.0,), (0,), a=2.0, b=3.0),
    limit("betainc", "at-0-uniform", (0.0,), (1,), a=1.0, b=1.0),
    limit("betainc", "at-1-uniform", (1.0,), (1,), a=1.0, b=1.0),
    limit("betainc", "at-1-order-3", (1.0,), (0,), a=2.0, b=3.0),
    limit("spence", "at-1", (1.0,), (-1,)),
    limit("spence", "at-2", (2.0,), (-LN2,)),
    limit("gammainc", "at-0-order-1", (0.0,), (1,), a=1.0),
    limit("gammainc", "at-0-order-2", (0.0,), (0,), a=2.0),
    limit("gammaincc", "at-0-order-1", (0.0,), (-1,), a=1.0),
    limit("gammaincc", "at-0-order-2", (0.0,), (0,), a=2.0),
)  # fmt: skip

FAR = (
    finite("erfcx", "at-huge", lambda e: (e.huge,), (0,)),
    finite("ndtr", "at-1000", (1000.0,), (0,)),
    finite("ndtr", "at-minus-huge", lambda e: (-e.huge,), (0,)),
    finite("ndtr", "at-infinity", (INF,), (0,)),
    finite("log_ndtr", "at-1000", (1000.0,), (0,)),
    finite("log_ndtr", "at-huge", lambda e: (e.huge,), (0,)),
    # 1000 + 1/1000 but for 2·10⁻⁹: the quotient of two numbers that underflow.
    finite("log_ndtr", "at-minus-1000", (-1000.0,), (1000.000999998,)),
    finite("erfinv", "at-least", lambda e: (e.least,), (math.sqrt(math.pi) / 2,)),
    finite("i0", "at-least", lambda e: (e.least,), (0,)),
    finite("i1", "at-least", lambda e: (e.least,), (0.5,)),
    finite("bessel_j0", "at-least", lambda e: (e.least,), lambda e: (-e.least / 2,)),
    finite("bessel_j1", "at-least", lambda e: (e.least,), (0.5,)),
    finite("ldexp", "up-to-huge", lambda e: (e.least, np.array(round(math.log2(e.huge)))), lambda e: (e.huge, None)),
    finite("ldexp", "down-to-small", lambda e: (e.huge, np.array(round(math.log2(e.small)))), lambda e: (e.small, None)),
    finite("i0e", "at-huge", lambda e: (e.huge,), (0,)),
    finite("i1e", "at-huge", lambda e: (e.huge,), (0,)),
    finite("i1e", "at-least", lambda e: (e.least,), (0.5,)),
    finite("xlog1py", "at-least", lambda e: (2.0, e.least), lambda e: (e.least, 2)),
    finite("rel_entr", "huge-and-equal", lambda e: (e.huge, e.huge), (1, -1)),
    finite("gammainc", "at-1000", (1000.0,), (0,), a=2.0),
    finite("gammaincc", "at-1000", (1000.0,), (0,), a=2.0),
    finite("spence", "at-huge", lambda e: (e.huge,), (0,)),
    finite("spence", "beside-1", lambda e: (1 + float(np.finfo(e.dtype).eps),), (-1,)),
    finite("zeta", "at-huge", lambda e: (e.huge,), (0,), s=2.0),
)  # fmt: skip

ENDS = (
    border("log_ndtr", "at-minus-infinity", (-INF,), slopes("infinite", "nan", "zero")),
    border("erfinv", "at-1", (1.0,), slopes("infinite", "nan", "zero")),
    border("erfinv", "at-minus-1", (-1.0,), slopes("infinite", "nan", "zero")),
    border("erfinv", "beyond-1", (2.0,), slopes("nan", "zero", "infinite")),
    border("ndtri", "at-0", (0.0,), slopes("infinite", "nan", "zero")),
    border("ndtri", "at-1", (1.0,), slopes("infinite", "nan", "zero")),
    border("bessel_j0", "at-infinity", (INF,), slopes("zero", "nan")),
    border("bessel_j1", "at-infinity", (INF,), slopes("zero", "nan")),
    border("entr", "at-0", (0.0,), slopes("infinite", "nan", "zero")),
    border("entr", "below-0", (-1.0,), slopes("nan", "zero", "infinite", "minus one")),
    border("rel_entr", "at-0", (0.0, 2.0), {
        "minus infinite": (-INF, 0.0), "nan": (NAN, 0.0), "zero": (0.0, 0.0)}, (None, (0, 0))),
    border("rel_entr", "at-0-0", (0.0, 0.0), {
        "nan": (NAN, NAN), "zero": (0.0, 0.0), "minus infinite": (-INF, 0.0), "minus infinite, nan": (-INF, NAN)}),
    border("xlog1py", "at-0-minus-1-in-the-factor", (0.0, -1.0), {
        "minus infinite": (-INF, None), "zero": (0.0, None), "nan": (NAN, None)}),
    border("gamma", "at-0", (0.0,), slopes("nan", "minus infinite", "zero")),
    border("betainc", "at-0-order-half", (0.0,), slopes("infinite", "nan", "zero"), a=0.5, b=0.5),
    border("betainc", "at-1-order-half", (1.0,), slopes("infinite", "nan", "zero"), a=0.5, b=0.5),
    border("spence", "at-0", (0.0,), slopes("minus infinite", "nan", "zero")),
    border("spence", "below-0", (-1.0,), slopes("nan", "zero", "minus infinite")),
    border("gammainc", "at-0-order-half", (0.0,), slopes("infinite", "nan", "zero"), a=0.5),
    border("gammaincc", "at-0-order-half", (0.0,), slopes("minus infinite", "nan", "zero"), a=0.5),
    border("gammainc", "at-infinity", (INF,), slopes("zero", "nan"), a=2.0),
)  # fmt: skip

POINTS: tuple[SpecialPoint, ...] = (*AT_0, *FAR, *ENDS)
