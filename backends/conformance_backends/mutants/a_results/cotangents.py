"""Mutants that use the upstream cotangent wrongly, or write into it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from conformance.backend import Trace
from conformance_backends.mutants.mutant import Mutant, SteppedTape, behaviour, rule, stateful_rule
from conformance_backends.numpy_engine.seeds import seed
from conformance_backends.numpy_engine.tensor import Tensor


def remainder_of_the_last_call() -> Callable[..., Any]:
    """A buffer that is not cleared: where the cotangent is zero, the gradient of the previous call remains."""
    left: dict[Any, Any] = {}

    def altered(right: Any, i: int, g: Any, z: Any, x: Any) -> Any:
        before = left.get(x.dtype.name, np.zeros(1))  # one buffer for a dtype, whatever the shape
        pulled = np.where(g == 0, np.resize(before, x.shape), right(i, g, z, x)).astype(x.dtype)
        if pulled.size:
            left[x.dtype.name] = pulled
        return pulled

    return altered


def rounded_upwards(right: Any, i: int, g: Any, z: Any, *xs: Any, **p: Any) -> Any:
    """Positive gradients are rounded up by one unit in the last place."""
    pulled = right(i, g, z, *xs, **p)
    return np.where(pulled > 0, np.nextafter(pulled, np.inf), pulled)


def scaled_by_own_size(right: Any, i: int, g: Any, z: Any, *xs: Any, **p: Any) -> Any:
    """g·|g| / max|g|: homogeneous, odd, and not additive."""
    largest = np.abs(g).max(initial=0.0)
    return right(i, g * np.abs(g) / largest if largest else g, z, *xs, **p)


def ones_for_zeros(right: Any, i: int, g: Any, z: Any, *xs: Any, **p: Any) -> Any:
    """A cotangent of zeros counts as missing."""
    return right(i, g if np.any(g) else np.ones_like(g), z, *xs, **p)


def masked_by_division(right: Any, i: int, g: Any, z: Any, *xs: Any, **p: Any) -> Any:
    """Multiplied and divided by g: 0/0 at zero."""
    return right(i, g * g, z, *xs, **p) / g


def _missing(fill: Any) -> Callable[..., Any]:
    """A cotangent of zeros among several counts as missing, and is replaced by `fill` of it."""

    def altered(right: Any, i: int, g: Any, z: Any, *xs: Any, **p: Any) -> Any:
        return right(i, tuple(part if np.any(part) else fill(part) for part in g), z, *xs, **p)

    return altered


def keep_what_arrives(self: Any, leaf: Tensor, arrived: Any) -> None:
    """No copy: the gradient is the array that the last rule returned."""
    leaf.grad = arrived if leaf.grad is None else leaf.grad + arrived


def keep_the_seed(self: Any, output: Tensor, gradient: Any) -> Any:
    """The caller's cotangent is scaled in place, and the seed is scaled back."""
    cotangent = seed(output, gradient).value
    if gradient is not None and cotangent.flags.writeable:
        cotangent *= 2
        return cotangent / 2
    return cotangent


def into_the_cotangent(right: Any, i: int, g: Any, z: Any, x: Any) -> Any:
    """The cotangent is used as scratch space."""
    if g.flags.writeable:
        g *= -1
        return g.copy()
    return -g


def nothing_of_zeros(self: Any, leaf: Any, arrived: Any) -> None:
    """The engine's sum, of what is not zero everywhere."""
    if np.any(arrived):
        SteppedTape.accumulate(self, leaf, arrived)


class FollowsCotangent(SteppedTape):
    """The gradients of a call have the dtype of its cotangent."""

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
    """A cotangent of another dtype is cast through half precision."""
    if gradient is not None and gradient.dtype != output.dtype:
        gradient = Tensor(gradient.value.astype(np.float16))
    return seed(output, gradient).value


def refuse_other_dtypes(self: Any, output: Tensor, gradient: Any) -> Any:
    """A cotangent of another dtype is refused, though the adapter declares a cast."""
    if gradient is not None and gradient.dtype != output.dtype:
        raise TypeError(f"a cotangent of {gradient.dtype} for an output of {output.dtype}")
    return seed(output, gradient).value


MUTANTS: tuple[Mutant, ...] = (
    rule("sign-lost", "The sign of the upstream cotangent is lost; a cotangent of ones hides it.",
        ("op/vjp", "op/linear"), ("exp",), lambda right, i, g, z, x: right(i, np.abs(g), z, x)),
    rule("clipped", "Gradients beyond a thousand are clipped.",
        ("op/vjp", "op/linear"), ("negative",), lambda right, i, g, z, x: np.clip(right(i, g, z, x), -1e3, 1e3)),
    rule("rounded-upwards", "Positive gradients are rounded up, which is within every tolerance.",
        ("op/linear",), ("tanh",), rounded_upwards),
    rule("not-additive", "The gradient is odd and homogeneous in the cotangent, but not additive.",
        ("op/vjp", "op/linear"), ("square",), scaled_by_own_size),
    rule("offset", "A constant is added to the gradient.",
        ("op/vjp", "op/linear", "op/zero-cotangent"), ("cos",), lambda right, i, g, z, x: right(i, g, z, x) + x.dtype.type(0.01)),
    rule("zeros-seed-ones", "A cotangent of zeros is treated as missing, and replaced by ones.",
        ("op/zero-cotangent",), ("multiply",), ones_for_zeros),
    rule("nan-at-zero", "Where the cotangent is zero, the gradient is NaN.",
        ("op/vjp", "op/zero-cotangent"), ("exp",), masked_by_division),
    rule("missing-means-ones", "A missing cotangent of one of several outputs is replaced by ones.",
        ("op/missing-cotangent",), ("split", "unstack"), _missing(np.ones_like)),
    rule("missing-means-nan", "A missing cotangent of one of several outputs makes the gradient NaN.",
        ("op/missing-cotangent",), ("slogdet",), _missing(lambda part: np.full_like(part, np.nan))),
    behaviour("zeros-do-not-arrive", "A gradient that is zero everywhere is not stored: the leaf has none.",
        ("op/zero-cotangent",), ops=("multiply",), accumulate=nothing_of_zeros),
    stateful_rule("buffer-not-cleared", "Where the cotangent is zero, the gradient of the previous call remains.",
        ("op/vjp", "op/zero-cotangent"), ("tanh",), remainder_of_the_last_call),
    behaviour("cotangent-kept", "A gradient shares its memory with the cotangent of an op that passes it on.",
        ("op/cotangent-untouched",), ops=("positive",), accumulate=keep_what_arrives),
    behaviour("cotangent-scaled-in-place", "The backward pass scales the caller's cotangent in place.",
        ("op/cotangent-untouched",), seed=keep_the_seed),
    rule("cotangent-negated-in-place", "A rule negates the cotangent in place.",
        ("op/cotangent-untouched",), ("negative",), into_the_cotangent),
    behaviour("dtype-follows-cotangent", "A float64 cotangent of a float32 output makes float64 gradients.",
        ("op/cotangent-dtype",), trace=FollowsCotangent.trace, base=FollowsCotangent),
    behaviour("cast-through-half", "A cotangent of another dtype is cast through half precision.",
        ("op/cotangent-dtype",), seed=through_float16),
    behaviour("cast-refused", "A cotangent of another dtype is refused, though the adapter declares a cast.",
        ("op/cotangent-dtype",), seed=refuse_other_dtypes),
    rule("upstream-dropped", "The gradient of sin is cos, whatever the upstream cotangent.",
        ("op/vjp", "op/linear", "op/zero-cotangent", "example/W6/chain-rule"), ("sin",),
        lambda right, i, g, z, x: right(i, np.ones_like(g), z, x)),
    rule("cotangent-squared", "The gradient of square multiplies by the upstream cotangent twice; a cotangent of ones hides it.",
        ("op/vjp", "op/linear"), ("square",), lambda right, i, g, z, x: right(i, g * g, z, x)),
)  # fmt: skip
