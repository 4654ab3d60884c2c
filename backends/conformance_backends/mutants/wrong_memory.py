"""Mutants that write where they should read, or hand out memory that is not theirs to give."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from conformance.backend import Backend, Trace
from conformance_backends.mutants.mutant import Mutant, Walking, behaviour, bent_rule, rule, value, with_ops
from conformance_backends.numpy_engine.tensor import Tensor, seed

OWN = ("op/gradients-own-memory",)

# Every method below is one step of `Walking`, overridden; `self` is that adapter.


def keep_what_arrives(self: Any, leaf: Tensor, arrived: Any) -> None:
    """No copy: the gradient is whatever array the last rule returned."""
    leaf.grad = arrived if leaf.grad is None else leaf.grad + arrived


def keep_the_seed(self: Any, output: Tensor, gradient: Any) -> Any:
    """The caller's cotangent is rescaled in its own memory, and scaled back, but for its sign of zero."""
    cotangent = seed(output, gradient).value
    if gradient is not None and cotangent.flags.writeable:
        cotangent *= 2
        return cotangent / 2
    return cotangent


def share_one_buffer(self: Any, leaf: Tensor, arrived: Any) -> None:
    """Gradients of one shape live in one buffer when their values are equal."""
    same = self.kept.get((np.shape(arrived), leaf.dtype))
    fresh = np.array(arrived, dtype=leaf.dtype)
    leaf.grad = fresh if leaf.grad is None else leaf.grad + fresh
    if same is not None and np.array_equal(same, leaf.grad):
        leaf.grad = same
    self.kept[np.shape(arrived), leaf.dtype] = leaf.grad


def into_the_output(right: Any, i: int, g: Any, z: Any, x: Any) -> Any:
    """z is scratch space: what is in it is needed no more."""
    np.multiply(g, z, out=z)
    return z.copy()


def into_the_operand(right: Any, i: int, g: Any, z: Any, x: Any) -> Any:
    """cos x is computed in the memory of x."""
    np.cos(x, out=x)
    return g * x


def into_the_cotangent(right: Any, i: int, g: Any, z: Any, x: Any) -> Any:
    """The cotangent is scratch space."""
    if g.flags.writeable:
        g *= -1
        return g.copy()
    return -g


def cotangents_handed_on() -> Backend:
    """Nobody copies: the rule of a sum returns its cotangent, and a leaf keeps whatever array arrives."""
    handing_on = bent_rule(
        "add", lambda right, i, g, z, x, y: g if x.shape == y.shape else right(i, g, z, x, y)
    )
    keeping = type("Keeping", (Walking,), {"accumulate": keep_what_arrives})
    return with_ops({"add": handing_on}, keeping)


def sorted_in_place(right: Any, x: Any, axis: int) -> Any:
    """x.sort() for np.sort(x)."""
    x.sort(axis=axis)
    return x.copy()


def shifted_in_place(right: Any, x: Any, axis: int) -> Any:
    """A softmax that shifts its operand where it lies."""
    x -= x.max(axis=axis, keepdims=True)
    return right(x, axis=axis)


def widened(self: Any, function: Any, operands: Sequence[Any], wrt: Any = None) -> Trace:
    """Where operands differ in precision, every gradient has the widest."""
    traced = Walking.trace(self, function, operands, wrt)
    floats = [x.dtype for x in operands if x.dtype.kind == "f"]
    widest = np.result_type(*floats) if floats else np.dtype(float)
    if len(set(floats)) < 2:
        return traced
    pull = lambda cotangents: tuple(np.asarray(g, widest) for g in traced.pull(cotangents))  # noqa: E731
    return Trace(traced.arrays, traced.outputs, pull)


def as_float64(self: Any, leaf: Tensor, arrived: Any) -> None:
    """Gradients are kept in double precision."""
    leaf.grad = np.array(arrived, dtype=float) if leaf.grad is None else leaf.grad + arrived


def as_single(self: Any, leaf: Tensor, arrived: Any) -> None:
    """Gradients of half precision leaves are kept in single precision."""
    kept = np.promote_types(leaf.dtype, np.float32)
    leaf.grad = np.array(arrived, dtype=kept) if leaf.grad is None else leaf.grad + arrived


class FollowsCotangent(Walking):
    """The gradients of a call whose cotangent has another dtype have that dtype."""

    def trace(self, function: Any, operands: Sequence[Any], wrt: Sequence[int] | None = None) -> Trace:
        """A trace whose gradients are cast."""
        traced = super().trace(function, operands, wrt)

        def pull(cotangents: Sequence[Any]) -> tuple[Any, ...]:
            dtype = np.result_type(*(g.dtype for g in cotangents))
            is_other = any(z.dtype != g.dtype for z, g in zip(traced.outputs, cotangents, strict=True))
            pulled = traced.pull(cotangents)
            return tuple(g if g is None or not is_other else g.astype(dtype) for g in pulled)

        return Trace(traced.arrays, traced.outputs, pull)


def through_float16(self: Any, output: Tensor, gradient: Any) -> Any:
    """A cotangent of another dtype is cast by way of half precision."""
    if gradient is not None and gradient.dtype != output.dtype:
        gradient = Tensor(gradient.value.astype(np.float16))
    return seed(output, gradient).value


def refuse_other_dtypes(self: Any, output: Tensor, gradient: Any) -> Any:
    """A cotangent of another dtype is refused, though the adapter elects a cast."""
    if gradient is not None and gradient.dtype != output.dtype:
        raise TypeError(f"a cotangent of {gradient.dtype} for an output of {output.dtype}")
    return seed(output, gradient).value


def off_by_an_ulp_while_recording(
    self: Any, function: Any, operands: Sequence[Any], wrt: Any = None
) -> Trace:
    """The value that is computed along with a gradient goes another way."""
    traced = Walking.trace(self, function, operands, wrt)
    off = tuple(Tensor(np.nextafter(z.value, np.inf)) if z.dtype.kind == "f" else z for z in traced.outputs)
    return Trace(traced.arrays, off, traced.pull)


MUTANTS: tuple[Mutant, ...] = (
    behaviour("cotangent-kept", "A gradient shares its memory with the cotangent of an op that passes it on.",
        ("op/cotangent-untouched",), ops=("positive",), accumulate=keep_what_arrives),
    behaviour("cotangent-scaled-in-place", "The walk back scales the caller's cotangent.",
        ("op/cotangent-untouched",), seed=keep_the_seed),
    rule("cotangent-negated-in-place", "A rule negates the cotangent where it lies.",
        ("op/cotangent-untouched",), ("negative",), into_the_cotangent),
    behaviour("gradients-share-a-buffer", "Equal gradients of two operands are one array.",
        (*OWN, "contract/B5/own-memory"), ops=("add",), accumulate=share_one_buffer),
    behaviour("gradient-is-a-view", "A sum's gradient is a broadcast view that cannot be written.",
        OWN, ops=("sum",), accumulate=keep_what_arrives),
    Mutant("gradients-through-views-shared", "A sum hands its cotangent on, and a leaf keeps what arrives.",
        ("contract/D8/through-views",), cotangents_handed_on, ("add",)),
    rule("backward-writes-output", "The rule of exp uses its output as scratch space.",
        ("op/backward-untouched",), ("exp",), into_the_output),
    rule("backward-writes-operand", "The rule of sin computes the cosine where the operand lies.",
        ("op/backward-untouched",), ("sin",), into_the_operand),
    value("forward-sorts-in-place", "A sort sorts its operand.", ("op/forward-untouched",), ("sort",), sorted_in_place),
    value("forward-shifts-in-place", "A softmax shifts its operand.",
        ("op/forward-untouched",), ("softmax",), shifted_in_place),
    behaviour("mixed-dtypes-widen", "In a call that mixes precisions every gradient has the widest.",
        ("op/mixed-dtype",), trace=widened),
    behaviour("double-gradients", "Gradients of float32 operands are float64.", ("op/dtype",), accumulate=as_float64),
    behaviour("single-gradients", "Gradients of half precision operands are kept in single precision.",
        ("op/half-precision",), accumulate=as_single),
    behaviour("dtype-follows-cotangent", "A float64 cotangent of a float32 output makes float64 gradients.",
        ("op/cotangent-dtype",), trace=FollowsCotangent.trace, base=FollowsCotangent),
    behaviour("cast-through-half", "A cotangent of another dtype is cast by way of half precision.",
        ("op/cotangent-dtype",), seed=through_float16),
    behaviour("cast-refused", "A cotangent of another dtype is refused, though a cast is elected.",
        ("op/cotangent-dtype",), seed=refuse_other_dtypes),
    behaviour("value-along-differs", "The value along with a gradient is off by one unit in the last place.",
        ("op/value-along",), trace=off_by_an_ulp_while_recording),
)  # fmt: skip
