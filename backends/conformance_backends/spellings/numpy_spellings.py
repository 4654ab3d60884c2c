"""The reference engine as NumPy's users write it: operators, methods, and NumPy's own functions of tensors."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from conformance_backends.numpy_backend import NumpyTape
from conformance_backends.numpy_points import DEPARTURES
from conformance_backends.usual_points import declared_points


def written(x: Any, values: Any, index: Any) -> Any:
    """A copy of `x` with `values` written at `index`."""
    copy = +x
    copy[index] = values
    return copy


SPELLED: Mapping[str, Callable[..., Any]] = {
    "abs": lambda x: abs(x),
    "negative": lambda x: -x,
    "positive": lambda x: +x,
    "add": lambda x, y: x + y,
    "subtract": lambda x, y: x - y,
    "multiply": lambda x, y: x * y,
    "divide": lambda x, y: x / y,
    "pow": lambda x, y: x**y,
    "remainder": lambda x, y: x % y,
    "matmul": lambda a, b: a @ b,
    "square": lambda x: x**2,
    "reciprocal": lambda x: 1 / x,
    "exp": np.exp,
    "log": np.log,
    "sqrt": np.sqrt,
    "tanh": np.tanh,
    "maximum": np.maximum,
    "where": np.where,
    "sum": lambda x, axis, keepdims: x.sum(axis, keepdims=keepdims),
    "mean": lambda x, axis, keepdims: x.mean(axis, keepdims=keepdims),
    "prod": lambda x, axis, keepdims: np.prod(x, axis=axis, keepdims=keepdims),
    "max": lambda x, axis, keepdims: np.max(x, axis=axis, keepdims=keepdims),
    "median": lambda x, axis, keepdims: np.median(x, axis=axis, keepdims=keepdims),
    "reshape": lambda x, shape: x.reshape(shape),
    "expand_dims": lambda x, axis: np.expand_dims(x, axis),
    "permute_dims": lambda x, axes: np.transpose(x, axes),
    "broadcast_to": lambda x, shape: np.broadcast_to(x, shape),
    "concat": lambda *xs, axis: np.concatenate(xs, axis=axis),
    "stack": lambda *xs, axis: np.stack(xs, axis=axis),
    "split": lambda x, indices_or_sections, axis: np.split(x, indices_or_sections, axis=axis),
    "getitem": lambda x, index: x[index],
    "index_update": written,
    "sort": lambda x, axis: np.sort(x, axis=axis),
    "matrix_transpose": lambda x: x.mT,
    "einsum": lambda *xs, subscripts: np.einsum(subscripts, *xs),
    "tensordot": lambda a, b, axes: np.tensordot(a, b, axes),
    "outer": np.outer,
    "trace": lambda x, offset: np.linalg.trace(x, offset=offset),
    "inv": np.linalg.inv,
    "solve": np.linalg.solve,
    "det": np.linalg.det,
}


class NumpySpelled(NumpyTape):
    """The reference engine through NumPy's dispatch, where its adapter otherwise names the row."""

    mode = "spelled"
    is_spelling = True
    ops = SPELLED
    points = declared_points(SPELLED, DEPARTURES)
