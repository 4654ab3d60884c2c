"""Special functions: the error function.

NumPy has none, and SciPy's ends at double precision, where an exact value needs more. So it is computed here, in the
next wider precision, and rounded once, as a good library's results are.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from typing import Any

import numpy as np

from conformance.op import Op
from conformance.ops.dispatch import dispatched
from conformance.ops.rows import elementwise

WIDER = {"e": "f8", "f": "f8", "d": np.longdouble, "F": "c16", "D": np.clongdouble}
SERIES, FRACTION = (
    64,
    48,
)  # terms of the error function's series up to NEAR, and of its continued fraction beyond
NEAR = 1.75
ROOT_PI = "1.77245385090551602729816748334114518"
SLOPE_AT_0 = 2 / math.sqrt(math.pi)


def as_a_library(compute: Callable[..., Any], x: Any, **parameters: Any) -> Any:
    """`compute(x)` in a wider precision, rounded once; an array that watches NumPy's functions sees one call."""

    @functools.wraps(compute)
    def once(plain: Any) -> Any:
        plain = np.asarray(plain)
        with np.errstate(all="ignore"):
            wide = plain.astype(WIDER.get(plain.dtype.char, plain.dtype))
            return compute(wide, **parameters).astype(plain.dtype)[()]

    is_watching = isinstance(x, np.ndarray) and type(x) is not np.ndarray
    return x.__array_ufunc__(once, "__call__", x) if is_watching else once(x)


def constant(digits: str, like: Any) -> Any:
    """A number in the precision of an array, which a float would cut off at 53 bits."""
    return np.real(like).dtype.type(digits)


# -- the error function ----------------------------------------------------------------------------


def _near(x: Any) -> Any:
    """erf x = 2/√π e^(−x²) Σ 2ⁿ x²ⁿ⁺¹/(2n+1)!! (DLMF 7.6.2), whose terms have one sign."""
    double, total = 2 * x * x, np.ones_like(x)
    for n in range(SERIES, 0, -1):
        total = 1 + total * double / (2 * n + 1)
    return 2 * x * np.exp(-x * x) * total / constant(ROOT_PI, x)


def _far(x: Any) -> Any:
    """erfc x, right of 0, by its continued fraction (DLMF 7.9.2)."""
    double = 2 * x * x
    tail = double + 4 * FRACTION + 1
    for n in range(FRACTION, 0, -1):
        tail = double + 4 * n - 3 - (2 * n - 1) * (2 * n) / tail
    return np.where(np.isinf(double), 0, 2 * x / tail * np.exp(-x * x) / constant(ROOT_PI, x))


def _both(x: Any) -> tuple[Any, Any, Any, Any]:
    """Whether entries are near 0; erf of those; whether entries are left of 0; erfc of the sizes of the far ones."""
    is_near, is_left = np.abs(np.real(x)) < NEAR, np.real(x) < 0
    near = _near(np.where(is_near, x, 0)) if is_near.any() else x
    far = _far(np.where(is_near, NEAR, np.where(is_left, -x, x))) if not is_near.all() else x
    return is_near, near, is_left, far


def _erf(x: Any) -> Any:
    is_near, near, is_left, far = _both(x)
    return np.where(is_near, near, np.where(is_left, far - 1, 1 - far))


def _erfc(x: Any) -> Any:
    # Near 0 on the right 1 − erf loses digits, which the wider precision has to spare: erfc is 0.01 at least.
    is_near, near, is_left, far = _both(x)
    return np.where(is_near, 1 - near, np.where(is_left, 2 - far, far))


@dispatched
def erf(x: Any) -> Any:
    """2/√π ∫₀ˣ e^(−t²) dt."""
    return as_a_library(_erf, x)


@dispatched
def erfc(x: Any) -> Any:
    """1 − erf x, which keeps its digits far on the right."""
    return as_a_library(_erfc, x)


# -- rows ------------------------------------------------------------------------------------------

ROWS: tuple[Op, ...] = (
    elementwise("erf", erf, lambda z, x: SLOPE_AT_0 * np.exp(-x * x),
        formula="x̄ = g · 2/√π e^(−x²)", source="DLMF 7.2.1"),
    elementwise("erfc", erfc, lambda z, x: -SLOPE_AT_0 * np.exp(-x * x),
        formula="x̄ = −g · 2/√π e^(−x²)", source="DLMF 7.2.2"),
)  # fmt: skip
