"""MyGrad's operations in place, which it records by another way than the functions of the same names."""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping
from typing import Any

import mygrad as mg
import numpy as np

from conformance.errors import Unsupported
from conformance_backends.mygrad_backend import MyGrad
from conformance_backends.mygrad_points import DEPARTURES
from conformance_backends.usual_points import declared_points


def changed(change: Any, x: Any, y: Any) -> Any:
    """A copy of `x`, changed in place; it keeps its shape."""
    if np.broadcast_shapes(x.shape, y.shape) != x.shape:
        raise Unsupported("what MyGrad writes in place has the shape of the first operand")
    return change(mg.positive(x, constant=False), y)


IN_PLACE: Mapping[str, Callable[..., Any]] = {
    "add": lambda x, y: changed(operator.iadd, x, y),
    "subtract": lambda x, y: changed(operator.isub, x, y),
    "multiply": lambda x, y: changed(operator.imul, x, y),
    "divide": lambda x, y: changed(operator.itruediv, x, y),
    "pow": lambda x, y: changed(operator.ipow, x, y),
}


class MyGradInPlace(MyGrad):
    """MyGrad's augmented assignments, each to a copy."""

    mode = "inplace"
    is_spelling = True
    ops = IN_PLACE
    points = declared_points(IN_PLACE, DEPARTURES)
