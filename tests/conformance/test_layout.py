"""An array laid out in memory is the same array, lying as its layout says."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from conformance.layout import CHANNELS_LAST, LAYOUTS, laid_out

SHAPES = [(), (1,), (3,), (2, 3), (3, 3), (2, 3, 4), (0,), (2, 0, 3), (1, 5)]
X = np.arange(24.0).reshape(2, 3, 4)


@pytest.mark.parametrize("layout", [*LAYOUTS, CHANNELS_LAST])
@pytest.mark.parametrize("shape", SHAPES, ids=str)
@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.int64, np.bool_])
def test_every_layout_is_the_array_and_a_copy(layout: str, shape: Any, dtype: Any) -> None:
    array = np.arange(np.prod(shape, dtype=int)).reshape(shape).astype(dtype)
    got = laid_out(array, layout)
    np.testing.assert_array_equal(got, array)
    assert got.dtype == array.dtype
    assert got.shape == array.shape
    assert not np.shares_memory(got, array)


def test_strides_are_those_of_the_layout() -> None:
    size = X.itemsize
    assert laid_out(X, "C").flags.c_contiguous
    assert laid_out(X, "F").flags.f_contiguous
    assert laid_out(X, "strided").strides[-1] == 2 * size
    assert all(stride < 0 for stride in laid_out(X, "reversed").strides)
    offset = laid_out(X, "offset")
    assert offset.ctypes.data - offset.base.ctypes.data == 3 * size
    assert laid_out(X, CHANNELS_LAST).strides == (12 * size, size, 3 * size)
    assert laid_out(np.broadcast_to(X[:1], X.shape), "expanded").strides[0] == 0


def test_an_array_that_does_not_repeat_is_not_expanded() -> None:
    assert laid_out(X, "expanded").flags.c_contiguous
    np.testing.assert_array_equal(laid_out(X, "expanded"), X)
