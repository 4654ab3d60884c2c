"""Mutants whose gradients have a wrong shape or dtype."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from conformance.backend import Trace
from conformance_backends.mutants.mutant import Mutant, SteppedTape, behaviour, rule, value, with_ops
from conformance_backends.numpy_backend import NumpyTape
from conformance_backends.numpy_engine.graph import is_recording
from conformance_backends.numpy_engine.tensor import Tensor, detach


def one_axis_for_none(right: Any, i: int, g: Any, z: Any, *xs: Any, **p: Any) -> Any:
    """A 0-d gradient gains an axis."""
    return np.reshape(right(i, g, z, *xs, **p), shape=(1,)) if np.ndim(g) == 0 else right(i, g, z, *xs, **p)


def flattened_where_empty(right: Any, i: int, g: Any, z: Any, *xs: Any, **p: Any) -> Any:
    """An empty gradient loses its axes."""
    pulled = right(i, g, z, *xs, **p)
    return np.zeros((0,), pulled.dtype) if pulled.size == 0 else pulled


def cast_not_recorded(right: Any, i: int, g: Any, z: Any, *xs: Any) -> Any:
    """A gradient that is cast to a narrower operand's dtype is a constant in a recorded pass."""
    pulled = right(i, g, z, *xs)
    return detach(pulled) if is_recording() and pulled.dtype != xs[i].dtype else pulled


def widened(self: Any, function: Any, operands: Sequence[Any], wrt: Any = None) -> Trace:
    """Where operands differ in precision, every gradient has the widest."""
    traced = SteppedTape.trace(self, function, operands, wrt)
    floats = [x.dtype for x in operands if x.dtype.kind == "f"]
    widest = np.result_type(*floats) if floats else np.dtype(float)
    if len(set(floats)) < 2:
        return traced
    pull = lambda cotangents: tuple(np.asarray(g, widest) for g in traced.pull(cotangents))  # noqa: E731
    return Trace(traced.arrays, traced.outputs, pull)


def widened_from_half(self: Any, function: Any, operands: Sequence[Any], wrt: Any = None) -> Trace:
    """Where an operand is in half precision and another is not, every gradient is in the other's."""
    halves = [x for x in operands if x.dtype == np.float16]
    return (widened if halves else SteppedTape.trace)(self, function, operands, wrt)


def as_float64(self: Any, leaf: Tensor, arrived: Any) -> None:
    """Gradients are kept in double precision."""
    leaf.grad = np.array(arrived, dtype=float) if leaf.grad is None else leaf.grad + arrived


def numbers_in_single_precision(self: Any, leaf: Tensor, arrived: Any) -> None:
    """The gradient of a number in half precision is kept in single precision."""
    SteppedTape.accumulate(self, leaf, arrived)
    if leaf.ndim == 0 and leaf.dtype.itemsize == 2:
        leaf.grad = np.asarray(leaf.grad).astype(np.float32)


def off_by_an_ulp_while_recording(
    self: Any, function: Any, operands: Sequence[Any], wrt: Any = None
) -> Trace:
    """The value computed with a gradient is off by one unit in the last place."""
    traced = SteppedTape.trace(self, function, operands, wrt)
    off = tuple(Tensor(np.nextafter(z.value, np.inf)) if z.dtype.kind == "f" else z for z in traced.outputs)
    return Trace(traced.arrays, off, traced.pull)


def in_double_precision(right: Any, *xs: Any, **p: Any) -> Any:
    """A value is computed in double precision, and stays in it."""
    return np.asarray(right(*xs, **p), float)


def in_single_precision(right: Any, *xs: Any, **p: Any) -> Any:
    """A value in half precision stays in single precision, in which it was computed."""
    value = np.asarray(right(*xs, **p))
    return value.astype(np.float32) if value.dtype.itemsize == 2 else value


def sign_lost_in_mixed_calls(right: Any, i: int, g: Any, z: Any, *xs: Any, **p: Any) -> Any:
    """Where another operand is more precise, the gradient has the other sign."""
    pulled = right(i, g, z, *xs, **p)
    floats = [x.dtype.itemsize for x in xs if x.dtype.kind == "f"]
    return -pulled if xs[i].dtype.itemsize < max(floats, default=0) else pulled


def sign_lost_in_half(right: Any, i: int, g: Any, z: Any, *xs: Any, **p: Any) -> Any:
    """In float16, beside an operand in single precision, the gradient has the other sign."""
    is_beside = xs[i].dtype == np.float16 and any(x.dtype == np.float32 for x in xs)
    pulled = right(i, g, z, *xs, **p)
    return -pulled if is_beside else pulled


def in_half_precision_where_mixed(right: Any, *xs: Any, **p: Any) -> Any:
    """The operands of a call that mixes precisions pass through half precision."""
    mixed = len({x.dtype for x in xs if x.dtype.kind == "f"}) > 1
    return right(*(x.astype(np.float16).astype(x.dtype) if mixed else x for x in xs), **p)


def in_double(constant: Any, operand: Any) -> Any:
    """A number of the language is made an array of double precision."""
    return np.asarray(constant, float)


def in_double_beside_a_number(constant: Any, operand: Any) -> Any:
    """A number of the language is made an array of double precision beside an operand without axes."""
    return constant if operand.shape else np.asarray(constant, float)


def in_the_operands_dtype_cut(constant: Any, operand: Any) -> Any:
    """A number of the language is cut to an integer in half precision."""
    return np.asarray(int(constant) if operand.dtype.itemsize == 2 else constant, operand.dtype)


def numbers_made(name: str, wrong: str, made: Any) -> Mutant:
    """A mutant whose products and sums make arrays, by `made`, of numbers of the language."""

    def changed(op: str) -> Any:
        right = NumpyTape.ops[op]

        def call(*operands: Any) -> Any:
            beside = next((x for x in operands if hasattr(x, "dtype")), np.zeros(1))
            arrays = (made(x, beside) if isinstance(x, (int, float)) else x for x in operands)
            return right(*arrays)

        return call

    names = ("add", "multiply")
    return Mutant(
        name, wrong, ("contract/A23/number",), lambda: with_ops({op: changed(op) for op in names}), names
    )


def without_axes_at_zero(right: Any, i: int, g: Any, z: Any, x: Any, **parameters: Any) -> Any:
    """The gradient of one entry, without its axes where the entry is 0."""
    pulled = right(i, g, z, x, **parameters)
    return np.reshape(pulled, ()) if x.size == 1 and not np.any(getattr(x, "value", x)) else pulled


def widened_at_0_d(self: Any, function: Any, arrays: Any, cotangents: Any) -> Any:
    """The gradient, as a value, of a 0-d operand has the dtype of its cotangent."""
    found = SteppedTape.nested_vjp(self, function, arrays, cotangents)
    dtype = cotangents[0].dtype
    return tuple(
        p if p is None or np.ndim(x) else p.astype(dtype) for p, x in zip(found, arrays, strict=True)
    )


MUTANTS: tuple[Mutant, ...] = (
    behaviour("0-d-widens-as-a-value", "The gradient, as a value, of a 0-d operand is of its cotangent's dtype.",
        ("contract/A7/second-order",), nested_vjp=widened_at_0_d),
    numbers_made("number-widens", "Beside a Python number a value of lower precision is float64.", in_double),
    numbers_made("number-widens-0-d", "Beside a Python number a 0-d value of lower precision is float64.", in_double_beside_a_number),
    numbers_made("number-cut-in-half", "In float16 a Python number is cut to an integer.", in_the_operands_dtype_cut),
    rule("cast-not-recorded", "The derivatives of a gradient that is cast to a narrower operand's dtype are lost.",
        ("contract/A7/second-order",), ("matmul",), cast_not_recorded),
    rule("0-d-gains-axis", "The gradient of a 0-d operand has shape (1,).",
        ("op/shape", "op/vjp"), ("tanh", "sin", "exp", "square"), one_axis_for_none),
    rule("zero-loses-axes", "The gradient of one entry loses its axes where that is 0.", ("op/shape",), ("prod", "sin"), without_axes_at_zero),
    rule("empty-loses-axes", "An empty gradient has shape (0,).", ("op/shape",), ("sin", "sum", "tanh", "add"), flattened_where_empty),
    behaviour("mixed-dtypes-widen", "In a call that mixes precisions every gradient has the widest of them.",
        ("op/mixed-dtype",), trace=widened),
    rule("mixed-sign-lost", "Where another operand is more precise, the gradient has the other sign.",
        ("op/mixed-value",), ("divide", "hypot", "matmul"), sign_lost_in_mixed_calls),
    rule("mixed-sign-lost-in-half", "In float16, beside an operand in float32, the gradient has the other sign.",
        ("op/mixed-value",), ("divide", "hypot", "matmul"), sign_lost_in_half),
    behaviour("mixed-half-widens", "In a call that mixes half and single precision every gradient has the wider.",
        ("op/mixed-value",), trace=widened_from_half),
    value("mixed-values-cut", "Operands of different precision pass through half precision.",
        ("op/mixed-value",), ("divide", "hypot", "matmul"), in_half_precision_where_mixed),
    value("double-values", "The value of float32 operands is float64.",
        ("op/value-dtype",), ("mean", "exp", "matmul"), in_double_precision),
    value("half-values-widened", "The value of operands in half precision is float32.",
        ("op/value-dtype",), ("sum", "tanh"), in_single_precision),
    behaviour("double-gradients", "Gradients of float32 operands are float64.", ("op/dtype",), accumulate=as_float64),
    behaviour("numbers-in-single-precision", "The gradient of a 0-d leaf in half precision is float32.",
        ("contract/A7/every-precision",), accumulate=numbers_in_single_precision),
    behaviour("value-along-differs", "The value returned with a gradient is off by one unit in the last place.",
        ("op/value-along",), trace=off_by_an_ulp_while_recording),
)  # fmt: skip
