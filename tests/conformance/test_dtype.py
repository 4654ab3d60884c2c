"""bfloat16 is a type like NumPy's own: with limits, carried in float32, and rounded to."""

from __future__ import annotations

import numpy as np
import pytest

from conformance.case import Case
from conformance.dtype import BFLOAT16, carried, finfo, is_real, narrowed


@pytest.mark.parametrize("dtype", ["float64", "float32", "float16", "longdouble"])
def test_limits_of_numpys_own_types_are_numpys(dtype: str) -> None:
    assert finfo(dtype) is np.finfo(dtype)


def test_bfloat16_has_the_range_of_float32_and_eight_digits() -> None:
    limits = finfo("bfloat16")
    assert float(limits.eps) == 2.0**-7
    assert (limits.maxexp, limits.minexp) == (np.finfo("float32").maxexp, np.finfo("float32").minexp)


def test_what_is_real() -> None:
    assert [
        name for name in ("bfloat16", "float16", "complex64", "int8", "bool", "V2") if is_real(np.dtype(name))
    ] == [
        "bfloat16",
        "float16",
    ]


def test_carrying_and_rounding_lose_no_bfloat16() -> None:
    every = np.arange(2**16, dtype=np.uint16).view(BFLOAT16)
    with np.errstate(invalid="ignore"):  # ml_dtypes warns of every NaN
        back = narrowed(carried(every), "bfloat16")
        is_number = ~np.isnan(every)
        assert np.isnan(back[~is_number]).all()
    np.testing.assert_array_equal(back.view(np.uint16)[is_number], every.view(np.uint16)[is_number])


def test_other_types_and_other_results_are_left_alone() -> None:
    for dtype in ("float64", "float16", "int64"):
        array = np.ones(2, dtype)
        assert carried(array) is array
        assert narrowed(array, "bfloat16") is array
        assert narrowed(array, dtype) is array
    assert [x.dtype.name for x in carried((np.ones(1, BFLOAT16), np.ones(1)))] == ["float32", "float64"]


def test_a_case_for_a_report_lists_the_numbers_of_bfloat16() -> None:
    x = np.array([0.3, np.inf], BFLOAT16)
    record = Case("exp", (x,), {}, (x[:1],), ("C", "C"), "bfloat16").as_json()
    assert record["operands"] == [[0.30078125, "inf"]]
    assert record["cotangent"] == [[0.30078125]]
