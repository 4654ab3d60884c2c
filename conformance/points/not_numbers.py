"""Special points whose values are NaN or infinite, or are numbers although an operand is not: IEEE 754, and the Array API standard.

No gradient is right or wrong there; a value is. An engine that answers a number where an operand is none hides that something went wrong.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from conformance.points.constructors import INF, NAN, valued
from conformance.points.point import TAIL, Extremes, SpecialPoint, Values

WHOLE: dict[str, Any] = {"axis": None, "keepdims": False}
FIRST, BETWEEN, LAST = [NAN, 1.0, 2.0], [1.0, NAN, 2.0], [1.0, 2.0, NAN]
AMONG = [[1.0, NAN, 3.0], [NAN, 2.0, -1.0], [0.5, 2.5, 1.5]]  # a column of numbers, and a row of them
NOT_NUMBERS = (("the-infinite", INF), ("the-minus-infinite", -INF), ("the-undefined", NAN))


def _of_opposite_sign(extremes: Extremes) -> Values:
    """Two numbers near both ends of a dtype."""
    far = 0.75 * float(np.finfo(extremes.dtype).max)
    return ([-far, far],)


POINTS: tuple[SpecialPoint, ...] = (
    *(
        valued(op, f"nan-{where}", (x,), **WHOLE)
        for op in ("max", "min", "ptp", "median", "logsumexp", "prod", "mean")
        for where, x in (("first", FIRST), ("between", BETWEEN), ("last", LAST))
    ),
    *(
        valued(op, f"nan-{where}", (x,), axis=0)
        for op in ("cummax", "cummin", "cumulative_sum", "cumulative_prod", "logcumsumexp", "softmax", "log_softmax")
        for where, x in (("first", FIRST), ("between", BETWEEN), ("last", LAST))
    ),
    *(
        valued(op, f"nan-among-{lines}", (AMONG,), axis=axis, keepdims=False)
        for op in ("max", "min", "ptp", "median", "logsumexp", "prod", "mean", "sum")
        for lines, axis in (("columns", 0), ("rows", -1))
    ),
    *(
        valued(op, f"nan-among-{lines}", (AMONG,), axis=axis)
        for op in ("cummax", "cummin", "cumulative_sum", "cumulative_prod", "logcumsumexp", "softmax", "log_softmax")
        for lines, axis in (("columns", 0), ("rows", -1))
    ),
    *(valued("quantile", f"nan-at-{name}", ([1.0, NAN, 3.0, 4.0],), q=q, **WHOLE) for name, q in (("0", 0.0), ("half", 0.5), ("1", 1.0))),
    # What is between two numbers is one, also where their difference is none.
    *(valued(op, "between-the-largest", _of_opposite_sign, q=0.25, **WHOLE) for op in ("quantile", "nanquantile")),
    valued("astype", "beyond-single-precision", _of_opposite_sign, dtype="float32"),
    valued("astype", "beyond-half-precision", ([1e5, -1e5, 6e4],), dtype="float16"),
    # A NaN that is taken for 0, or for an infinity, is larger, or smaller, than what stands beside it.
    *(valued(op, f"nan-among-{sign}", ([sign_of * 2.0, NAN, sign_of * 3.0, sign_of * 4.0],), **WHOLE)
      for op in ("nanmax", "nanmin", "nanmedian", "nanmean", "nansum", "nanprod")
      for sign, sign_of in (("negative", -1), ("positive", 1))),
    valued("nan_to_num", "infinities-by-0", ([INF, 1.0, -INF],), nan=1.0, posinf=0.0, neginf=0.0),
    valued("nan_to_num", "nan-by-0", ([NAN, 1.0],), nan=0.0, posinf=1.0, neginf=1.0),
    valued("nan_to_num", "infinities-by-default", ([INF, 1.0, -INF],), nan=0.0, posinf=None, neginf=None),
    valued("nanmedian", "two-nans", ([5.0, NAN, NAN, 1.0, 3.0],), **WHOLE),
    valued("nanquantile", "two-nans", ([5.0, NAN, NAN, 1.0, 3.0],), q=0.25, **WHOLE),
    valued("kl_div", "of-nothing-term-by-term", ([-1.0, -2.0], [0.0, 0.5]), reduction="none"),
    # The Array API standard leaves open where a sort puts NaN; the numbers ascend.
    *(
        replace(valued("sort", f"nan-{where}", (x,), axis=0), has_nans_anywhere=True)
        for where, x in (("first", FIRST), ("between", BETWEEN), ("last", LAST))
    ),
    *(valued(op, "opposite-infinities", ([INF, -INF, 1.0],), **WHOLE) for op in ("sum", "mean", "logsumexp")),
    valued("prod", "0-times-infinity", ([0.0, INF],), **WHOLE),
    valued("var", "with-infinity", ([INF, 1.0],), correction=0, **WHOLE),
    *(valued(op, f"{name}-beside-nan", operands)
      for op in ("maximum", "minimum", "add", "multiply", "hypot", "atan2", "logaddexp", "remainder", "fmod")
      for name, operands in (("number", (1.0, NAN)), ("zero", (NAN, 0.0)))),
    *(valued("pow", name, operands) for name, operands in (
        ("1-to-the-nan", (1.0, NAN)), ("nan-to-the-0", (NAN, 0.0)), ("minus-1-to-infinity", (-1.0, INF)),
        ("half-to-infinity", (0.5, INF)), ("minus-infinity-cubed", (-INF, 3.0)), ("minus-0-to-the-minus-3", (-0.0, -3.0)))),
    *(valued("atan2", name, operands) for name, operands in (
        ("minus-0-before-a-negative", (-0.0, -1.0)), ("both-infinite", (INF, -INF)), ("minus-0-and-minus-0", (-0.0, -0.0)))),
    *(valued(op, "infinity-cut-off", (matrix,), k=0)
      for op, matrix in (("tril", [[1.0, INF], [NAN, 3.0]]), ("triu", [[1.0, NAN], [INF, 3.0]]))),
    valued("hypot", "infinity-beside-nan", (INF, NAN)),
    # Small values that are what such an op is there for: 1 + erf(x/√2) is 0, and 1 + x is 1.
    *(replace(valued(op, name, (x,)), value_error=lambda _: TAIL) for op, name, x in (
        ("ndtr", "far-left", -9.0), ("ndtr", "left", -6.0), ("erfc", "far-right", 9.0), ("log_ndtr", "far-left", -40.0),
        ("log_ndtr", "far-right", 9.0), ("erfcx", "far-right", 40.0), ("sigmoid", "far-left", -40.0),
        ("softplus", "far-left", -40.0), ("log_sigmoid", "far-right", 40.0), ("expm1", "near-0", 1e-15),
        ("log1p", "near-0", 1e-15), ("tanh", "near-0", 1e-15), ("sinh", "near-0", 1e-15), ("asinh", "near-0", 1e-15),
        ("atanh", "near-0", 1e-15), ("erf", "near-0", 1e-15), ("erfinv", "near-0", 1e-15))),
    *(valued("multiply", f"0-times-{name}", (0.0, x)) for name, x in (("infinity", INF), ("nan", NAN))),
    valued("subtract", "infinity-less-infinity", (INF, INF)),
    valued("divide", "infinity-by-infinity", (INF, INF)),
    *(valued(op, "by-infinity", (-1.5, INF)) for op in ("remainder", "fmod")),
    *(valued(op, "by-0", (1.5, 0.0)) for op in ("remainder", "fmod")),
    *(valued(op, f"at-{name}", (x,))
      for op in ("exp", "expm1", "log1p", "sqrt", "cbrt", "tanh", "atan", "asinh", "erf", "erfc", "sigmoid", "softplus", "sinh", "cosh",
                 "reciprocal", "rsqrt", "square", "log", "exp2", "log2", "log10", "sinc", "selu", "gelu", "softsign", "tanh_shrink",
                 "log_sigmoid")
      for name, x in NOT_NUMBERS),
    *(valued(op, f"at-{name}", (x,), alpha=1.5) for op in ("elu", "celu") for name, x in NOT_NUMBERS),
    *(valued("soft_shrink", f"at-{name}", (x,), threshold=0.5) for name, x in NOT_NUMBERS),
)  # fmt: skip
