"""The arrays that a row and its rule are given, with those that the rule returns."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Any

import numpy as np

from conformance.dtype import BFLOAT16, carried, is_inexact, is_real, narrowed
from conformance.op import Op


def beside(x: Any, operands: Iterable[Any]) -> Any:
    """A constant as an array; a number of Python's takes the type that it has beside the operands (NEP 50)."""
    if type(x) not in (int, float, complex):
        return np.asarray(x)
    values = list(operands)
    dtypes = {value.dtype for value in values if isinstance(value, np.ndarray)}
    inexact = {dtype for dtype in dtypes if is_inexact(dtype)}
    # A type of which NumPy does not know this, nor that it has a common one with integers.
    is_narrow = inexact == {BFLOAT16} and not isinstance(x, complex)
    return np.asarray(x, BFLOAT16 if is_narrow else np.result_type(*values))


@lru_cache(maxsize=512)
def carrying(op: Op) -> Op:
    """The row for operands of bfloat16, which NumPy cannot compute in: computed in float32, and rounded once.

    Where a parameter gives the dtype, the value has that dtype.
    """

    def reference(*operands: Any, **parameters: Any) -> Any:
        output = op.reference(*map(carried, operands), **parameters)
        is_narrow = {x.dtype for x in operands if is_real(x.dtype)} == {
            BFLOAT16
        } and "dtype" not in parameters
        return narrowed(output, BFLOAT16) if is_narrow else output

    def rule(index: int, g: Any, z: Any, /, *operands: Any, **parameters: Any) -> Any:
        return op.rule(index, carried(g), carried(z), *map(carried, operands), **parameters)

    return replace(op, reference=reference, rule=rule)


def complete(cotangents: Sequence[Any], outputs: Any) -> Any:
    """The cotangents of all outputs: a missing one is zero."""
    if not isinstance(outputs, tuple):
        return cotangents[0]
    given = [*cotangents, *[None] * (len(outputs) - len(cotangents))]
    return tuple(np.zeros_like(z) if g is None else g for g, z in zip(given, outputs, strict=True))


def fitted(cotangent: Any, operand: Any) -> Any:
    """The cotangent in its operand's dtype: mixed precision must not change the dtype of a gradient.

    A real operand can be perturbed along the real axis only, so it receives the real part of a complex cotangent.
    """
    if cotangent is None or cotangent.dtype is operand.dtype or cotangent.dtype == operand.dtype:
        return cotangent
    is_made_real = cotangent.dtype.kind == "c" and operand.dtype.kind == "f"
    return (np.real(cotangent) if is_made_real else cotangent).astype(operand.dtype)
