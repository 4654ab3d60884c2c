"""Controls made of rows: the reference engine with another formula, or another precision, behind some ops."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from conformance.backend import Backend, Function
from conformance.dtype import is_inexact
from conformance.op import Op
from conformance.ops import ALL_OPS
from conformance_backends import numpy_engine as engine
from conformance_backends.mutants.mutant import Mutant, WithTransforms, with_ops
from conformance_backends.numpy_engine.tensor import Tensor

CORRECT = "Nothing is wrong: no check may catch it."

Altered = Callable[[Op], Op]


def of_rows(name: str, how: str, altered: Altered, base: type[WithTransforms] = WithTransforms) -> Mutant:
    """A control that computes every op of the catalogue as `altered` makes its row, described by `how`."""

    def make() -> Backend:
        return with_ops({op.name: _applied(altered(op)) for op in ALL_OPS.values()}, base)

    return Mutant(name, CORRECT, (), make, tuple(sorted(ALL_OPS)), varies=how)


def _applied(op: Op) -> Function:
    return lambda *operands, **parameters: engine.apply(op, operands, parameters)


def computed_by(op: Op, reference: Callable[..., Any], rule: Callable[..., Any]) -> Op:
    """The row with another reference and rule, in the dtypes of its own; a flat row keeps what it has."""
    if op.is_flat:
        return op

    def fitted(*operands: Any, **parameters: Any) -> Any:
        own = op.reference(*operands, **parameters)
        return in_dtype_of(reference(*operands, **parameters), own)

    return replace(op, reference=fitted, rule=rule)


def in_dtype_of(result: Any, like: Any) -> Any:
    """A result rounded to the dtype of what the row itself gives; what has no gradient is the row's own."""
    if isinstance(like, tuple):
        return tuple(in_dtype_of(x, y) for x, y in zip(result, like, strict=True))
    dtype = np.asarray(like).dtype
    return np.asarray(result).astype(dtype) if is_inexact(dtype) else like


def is_recorded(*arrays: Any) -> bool:
    """Whether a rule is called on tensors, because its result is differentiated again."""
    parts = [part for x in arrays for part in (x if isinstance(x, (tuple, list)) else (x,))]
    return any(isinstance(part, Tensor) for part in parts)


def of_one_triangle(name: str) -> Callable[[], Backend]:
    """Of a symmetric operand the lower triangle alone is read, so that all of the gradient is there."""
    op = ALL_OPS[name]

    def rule(index: int, g: Any, z: Any, x: Any, /, **parameters: Any) -> Any:
        whole = op.rule(index, g, z, x, **parameters)
        return np.tril(whole, k=0) + np.tril(whole, k=-1)

    return lambda: with_ops({name: _applied(replace(op, rule=rule))}, WithTransforms)
