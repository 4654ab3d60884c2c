"""A special point that names a dtype is asked of engines that declare it."""

from __future__ import annotations

from typing import ClassVar

import pytest
from conformance_backends.numpy_backend import NumpyTape

from conformance.errors import Unsupported
from conformance.questions.kind import Item

ITEM = Item("numpy", "point/value", "astype/beyond-half-precision", "float64")


class WithoutHalfPrecision(NumpyTape):
    """The reference engine in the usual precisions."""

    dtypes: ClassVar[tuple[str, ...]] = ("float64", "float32")


def test_a_cast_to_a_dtype_is_asked_where_that_is_declared() -> None:
    ITEM.kind.require(ITEM, NumpyTape())
    with pytest.raises(Unsupported, match="does not declare float16"):
        ITEM.kind.require(ITEM, WithoutHalfPrecision())
