"""Which row of the catalogue a call of a NumPy function is.

Most rows name NumPy's own function as their reference, so the table is read off the catalogue. The
other functions take their operands as a list, or have a result that does not change when the operands
are perturbed; the latter are computed on plain values.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import Any

import numpy as np

from conformance.op import Op, Trait
from conformance.ops import CATALOGUE, FLAT

PLAIN = frozenset(
    {
        # shape and type
        np.shape, np.ndim, np.size, np.result_type, np.iscomplexobj, np.isrealobj,
        # fresh constants of the same shape
        np.zeros_like, np.ones_like, np.full_like, np.empty_like,
        # piecewise constant, and no rows: to so many digits, of no one shape, or of sorted operands only
        np.isclose, np.allclose, np.array_equal, np.round, np.nonzero, np.searchsorted,
        *(op.reference for op in FLAT.values()),
    }
)  # fmt: skip


def _listed(name: str) -> Callable[..., tuple[Op, Sequence[Any], Mapping[str, Any]]]:
    """A NumPy function that takes its operands as one list, with an optional axis."""

    def bind_list(arrays: Sequence[Any], axis: int = 0) -> tuple[Op, Sequence[Any], Mapping[str, Any]]:
        return CATALOGUE[name], tuple(arrays), {"axis": axis}

    return bind_list


def _einsum(subscripts: str, *operands: Any) -> tuple[Op, Sequence[Any], Mapping[str, Any]]:
    return CATALOGUE["einsum"], operands, {"subscripts": subscripts}


LISTED: dict[Callable[..., Any], Callable[..., tuple[Op, Sequence[Any], Mapping[str, Any]]]] = {
    np.concatenate: _listed("concat"),
    np.stack: _listed("stack"),
    np.einsum: _einsum,
}


# Functions that mean what a row means, whose reference is another one.
ALIKE: dict[Callable[..., Any], str] = {
    np.log1p: "log1p",
    np.split: "split",
    np.linalg.det: "det",
    np.linalg.inv: "inv",
    np.linalg.matrix_power: "matrix_power",
    np.linalg.solve: "solve",
    np.linalg.trace: "trace",
}


@cache
def rows() -> dict[Callable[..., Any], Op]:
    """The catalogue by the functions of NumPy that its rows are."""
    alike = {function: CATALOGUE[name] for function, name in ALIKE.items()}
    return {op.reference: op for op in CATALOGUE.values()} | alike


def is_flat(function: Callable[..., Any]) -> bool:
    """Whether the function's value does not change when its operands are perturbed."""
    return function in PLAIN


def bind(
    function: Callable[..., Any], operands: Sequence[Any], keywords: Mapping[str, Any]
) -> tuple[Op, Sequence[Any], Mapping[str, Any]]:
    """The row that `function` is the reference of, with the call's operands and parameters.

    Raises:
        TypeError: if the catalogue has no row for the function.
    """
    if function in LISTED:
        return LISTED[function](*operands, **keywords)
    op = rows().get(function)
    if op is None:
        name = getattr(function, "__name__", repr(function))
        raise TypeError(f"np.{name} has no row in the catalogue, so its derivative is not known here")
    if isinstance(function, np.ufunc):
        return op, operands, keywords
    return op, *_split(op, function, operands, keywords)


def _split(
    op: Op, function: Callable[..., Any], operands: Sequence[Any], keywords: Mapping[str, Any]
) -> tuple[Sequence[Any], Mapping[str, Any]]:
    """Separate operands from parameters, whether passed by position or by keyword."""
    if Trait.VARIADIC in op.traits:
        return operands, keywords
    names = parameter_names(function)
    count = len(op.domains)
    given = {**dict(zip(names, operands, strict=False)), **keywords}
    return [given[name] for name in names[:count]], {k: v for k, v in given.items() if k not in names[:count]}


@cache
def parameter_names(function: Callable[..., Any]) -> tuple[str, ...]:
    """The names of a function's parameters, in order."""
    if function is np.where:  # written in C, without a signature
        return ("condition", "x", "y")
    return tuple(inspect.signature(function).parameters)
