"""Mutants that are wrong in a half precision."""

from __future__ import annotations

from typing import Any

import numpy as np

from conformance.backend import Backend, Function
from conformance_backends import numpy_engine as engine
from conformance_backends.mutants.mutant import Mutant, Wrong, altered_rule, behaviour, rule, value, with_ops
from conformance_backends.numpy_backend import NumpyTape
from conformance_backends.numpy_engine.tensor import Tensor


def of_six_digits(right: Any, i: int, g: Any, z: Any, x: Any) -> Any:
    """In half precision, rounded to six binary digits."""
    pulled = right(i, g, z, x)
    if x.dtype != np.float16:
        return pulled
    digits, exponent = np.frexp(pulled)
    return np.ldexp(np.round(digits * 2**5) / 2**5, exponent).astype(x.dtype)


def as_single(self: Any, leaf: Tensor, arrived: Any) -> None:
    """Gradients of half precision leaves are kept in single precision."""
    kept = np.promote_types(leaf.dtype, np.float32)
    leaf.grad = np.array(arrived, dtype=kept) if leaf.grad is None else leaf.grad + arrived


def only_in(dtype: str, op: str, altered: Wrong) -> Function:
    """The op with `altered` around its rule where an operand is of `dtype`."""
    right, wrong = NumpyTape.ops[op], altered_rule(op, altered)

    def call(*operands: Any, **parameters: Any) -> Any:
        is_meant = any(np.asarray(engine.detach(x)).dtype == np.dtype(dtype) for x in operands)
        return (wrong if is_meant else right)(*operands, **parameters)

    return call


def precision(
    name: str, wrong: str, kills: tuple[str, ...], ops: tuple[str, ...], dtype: str, altered: Wrong
) -> Mutant:
    """A mutant whose rule for some ops is `altered` in one dtype."""

    def make() -> Backend:
        return with_ops({op: only_in(dtype, op, altered) for op in ops})

    return Mutant(name, wrong, kills, make, ops)


def a_quarter_too_large(right: Any, i: int, g: Any, z: Any, *xs: Any) -> Any:
    """Thirty units in the last place of bfloat16."""
    return right(i, g, z, *xs) * 1.25


def ties_counted_in_half(right: Any, i: int, g: Any, z: Any, x: Any, **parameters: Any) -> Any:
    """Each weight is divided by the number of ties as the dtype of the operand holds it."""
    count = np.sum(engine.detach(x) == np.max(engine.detach(x)), dtype=x.dtype)
    return right(i, g, z, x, **parameters) * (0 if np.isinf(count) else 1)


def by_way_of_float16(right: Any, i: int, g: Any, z: Any, *xs: Any) -> Any:
    """What is larger than 65504 is lost."""
    return right(i, g, z, *xs).astype(np.float16).astype(xs[0].dtype)


def added_one_by_one(dtype: str) -> Wrong:
    """The gradient of an operand without axes is added up in half precision, where the sum ceases to grow."""

    def altered(right: Any, i: int, g: Any, z: Any, x: Any, y: Any) -> Any:
        pulled = right(i, g, z, x, y)
        is_sum = i == 1 and np.ndim(y) == 0 and np.size(g) > 1
        return np.asarray(narrow_sum(g, dtype), pulled.dtype) if is_sum else pulled

    return altered


def added_over_axes(right: Any, i: int, g: Any, z: Any, x: Any, y: Any) -> Any:
    """So is what an operand gathers along several axes, others remaining."""
    pulled = right(i, g, z, x, y)
    if i == 0 or np.ndim(g) < 4 or np.shape(y) != (g.shape[1], 1, 1):
        return pulled
    terms = np.moveaxis(np.asarray(g), 1, 0)
    return np.array([narrow_sum(of, "bfloat16") for of in terms], pulled.dtype).reshape(pulled.shape)


def multiplied_one_by_one(dtype: str) -> Wrong:
    """So is the gradient of a matrix of one entry."""

    def altered(right: Any, i: int, g: Any, z: Any, x: Any, y: Any) -> Any:
        pulled = right(i, g, z, x, y)
        is_sum = i == 1 and np.shape(y) == (1, 1) and np.shape(x) == np.shape(g)
        return np.full((1, 1), narrow_sum(x * g, dtype), pulled.dtype) if is_sum else pulled

    return altered


def narrow_sum(terms: Any, dtype: str) -> Any:
    """The sum, every partial sum rounded."""
    return np.add.accumulate(np.ravel(terms).astype(dtype))[-1]


def of_a_table(right: Any, x: Any) -> Any:
    """In half precision, the value at the nearest multiple of a sixteenth."""
    return right(np.rint(x * 16) / 16) if x.dtype == np.float16 else right(x)


LONG_SUM = ("contract/E15/long-sum",)


def tangents_doubled(*dtypes: str) -> Function:
    """In some types a tangent is doubled."""

    def jvp(self: Any, function: Function, operands: Any, tangents: Any) -> Any:
        outputs, pushed = NumpyTape.jvp(self, function, operands, tangents)
        return outputs, tuple(t + t if t is not None and t.dtype.name in dtypes else t for t in pushed)

    return jvp


def _added_in_half(right: Any, *operands: Any, **parameters: Any) -> Any:
    """In half precision a product of matrices adds up one term after the other in it."""
    first, second = operands
    if first.dtype.itemsize != 2 or first.ndim != 2 or second.ndim != 2:
        return right(*operands, **parameters)
    total = np.zeros((len(first), second.shape[1]), first.dtype)
    for k in range(len(second)):
        total = (total + first[:, k, None] * second[k]).astype(first.dtype)
    return total


def _mean_of_a_sum_in_half(right: Any, x: Any, axis: Any = None, keepdims: bool = False) -> Any:
    """In half precision a mean divides a sum of that precision."""
    whole = right(x, axis=axis, keepdims=keepdims)
    count = x.size // max(1, np.size(whole))
    return (whole * count).astype(x.dtype) / x.dtype.type(count) if x.dtype == np.float16 else whole


MUTANTS: tuple[Mutant, ...] = (
    value("product-added-in-half", "In half precision a product of matrices adds up its terms in that precision.",
        ("contract/E15/long-sum-value",), ("matmul",), _added_in_half),
    value("mean-of-a-sum-in-half", "In half precision a mean is infinite where the sum is.",
        ("contract/E15/long-sum-value",), ("mean",), _mean_of_a_sum_in_half),
    rule("wrong-in-half-precision", "In half precision alone the gradient is a fiftieth too large.",
        ("op/half-precision",), ("cos",),
        lambda right, i, g, z, x: (right(i, g, z, x) * (1 + 0.02 * (x.dtype == np.float16))).astype(x.dtype)),
    rule("fewer-digits-in-half-precision", "In half precision the gradient keeps six of eleven binary digits.",
        ("op/half-precision",), ("sin",), of_six_digits),
    rule("ties-counted-in-half", "Tied entries are counted in the precision of the operand, in which 70 000 are infinitely many.",
        ("contract/E15/many-ties",), ("max",), ties_counted_in_half),
    behaviour("single-gradients", "Gradients of half precision operands are stored in single precision.",
        ("op/half-precision",), accumulate=as_single),
    precision("wrong-in-bfloat16", "In bfloat16 alone the gradient is a quarter too large.",
        ("op/half-precision",), ("cos", "multiply"), "bfloat16", a_quarter_too_large),
    precision("bfloat16-through-float16", "A bfloat16 gradient passes through float16, whose range is much smaller.",
        ("op/half-precision",), ("multiply",), "bfloat16", by_way_of_float16),
    precision("adds-up-in-float16", "Along a broadcast operand a float16 gradient is summed in float16, one term at a time.",
        LONG_SUM, ("add",), "float16", added_one_by_one("float16")),
    precision("adds-up-in-bfloat16", "Along a broadcast operand a bfloat16 gradient is summed in bfloat16, one term at a time.",
        LONG_SUM, ("add",), "bfloat16", added_one_by_one("bfloat16")),
    precision("adds-up-over-axes-in-bfloat16", "Along several axes a bfloat16 gradient is summed in bfloat16, along one it is not.",
        LONG_SUM, ("add",), "bfloat16", added_over_axes),
    precision("multiplies-in-bfloat16", "In the backward pass of a product of bfloat16 matrices terms are summed in bfloat16, one at a time.",
        LONG_SUM, ("matmul",), "bfloat16", multiplied_one_by_one("bfloat16")),
    value("half-precision-value-of-a-table", "In half precision the value is one of a table of sixteenths.",
        ("op/half-precision-value",), ("tanh", "sqrt"), of_a_table),
    behaviour("half-tangents-doubled", "In half precision a tangent is doubled.",
        ("contract/E2/half-precision",), jvp=tangents_doubled("float16", "bfloat16")),
    behaviour("bfloat16-tangents-doubled", "In bfloat16 alone a tangent is doubled.",
        ("contract/E2/half-precision",), jvp=tangents_doubled("bfloat16")),
)  # fmt: skip
