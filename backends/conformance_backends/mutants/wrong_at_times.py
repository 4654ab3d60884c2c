"""Mutants that are right most of the time: in one precision, one layout, one size, or until they are called again."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from conformance_backends.mutants.mutant import Mutant, forgetful_rule, rule, value

VJP = ("op/vjp",)


# ---- rules with a memory -------------------------------------------------------------------------


def off_at_every_seventh_call() -> Callable[..., Any]:
    """One unit in the last place, every seventh time."""
    calls = 0

    def bent(right: Any, i: int, g: Any, z: Any, *xs: Any, **p: Any) -> Any:
        nonlocal calls
        calls += 1
        pulled = right(i, g, z, *xs, **p)
        return np.nextafter(pulled, np.inf) if calls % 7 == 0 else pulled

    return bent


def slope_of_the_first_call() -> Callable[..., Any]:
    """The slope is computed once per shape and dtype, as a compiler does that takes an operand for a constant."""
    first: dict[Any, Any] = {}

    def bent(right: Any, i: int, g: Any, z: Any, x: Any) -> Any:
        key = x.shape, x.dtype.name
        return g * first.setdefault(key, right(i, np.ones_like(g), z, x))

    return bent


def residue_of_the_last_call() -> Callable[..., Any]:
    """A buffer that is not cleared: an entry that is exactly zero keeps what the last call left there."""
    left: dict[Any, Any] = {}

    def bent(right: Any, i: int, g: Any, z: Any, x: Any) -> Any:
        key = x.shape, x.dtype.name
        pulled = np.where(g == 0, left.get(key, 0), right(i, g, z, x)).astype(x.dtype)
        left[key] = pulled
        return pulled

    return bent


# ---- rules that look at the cotangent ---------------------------------------------------------------


def of_six_digits(right: Any, i: int, g: Any, z: Any, x: Any) -> Any:
    """In half precision, rounded to six binary digits."""
    pulled = right(i, g, z, x)
    if x.dtype != np.float16:
        return pulled
    digits, exponent = np.frexp(pulled)
    return np.ldexp(np.round(digits * 2**5) / 2**5, exponent).astype(x.dtype)


def rounded_upwards(right: Any, i: int, g: Any, z: Any, *xs: Any, **p: Any) -> Any:
    """Positive gradients are rounded up by one unit in the last place."""
    pulled = right(i, g, z, *xs, **p)
    return np.where(pulled > 0, np.nextafter(pulled, np.inf), pulled)


def pull_towards_the_largest(right: Any, i: int, g: Any, z: Any, *xs: Any, **p: Any) -> Any:
    """g·|g| / max|g|: homogeneous, odd, and not additive."""
    largest = np.abs(g).max(initial=0.0)
    return right(i, g * np.abs(g) / largest if largest else g, z, *xs, **p)


def ones_for_zeros(right: Any, i: int, g: Any, z: Any, *xs: Any, **p: Any) -> Any:
    """A cotangent of zeros is taken for one that was not given."""
    return right(i, g if np.any(g) else np.ones_like(g), z, *xs, **p)


def masked_by_division(right: Any, i: int, g: Any, z: Any, *xs: Any, **p: Any) -> Any:
    """A detour through the logarithm's derivative: 0/0 at zero."""
    return right(i, g * g, z, *xs, **p) / g


# ---- rules that look at the memory ------------------------------------------------------------------


def in_buffer_order(array: Any) -> Any:
    """The entries as they lie in memory, taken for C order."""
    return np.ravel(array, order="K").reshape(np.shape(array))


def from_the_first_row(array: Any) -> Any:
    """A negative stride ignored."""
    is_reversed = any(stride < 0 for stride in array.strides)
    return array[(slice(None, None, -1),) * array.ndim] if is_reversed else array


def one_axis_for_none(right: Any, i: int, g: Any, z: Any, *xs: Any, **p: Any) -> Any:
    """A 0-d gradient gains an axis."""
    return np.reshape(right(i, g, z, *xs, **p), shape=(1,)) if np.ndim(g) == 0 else right(i, g, z, *xs, **p)


def flattened_where_empty(right: Any, i: int, g: Any, z: Any, *xs: Any, **p: Any) -> Any:
    """An empty gradient loses its axes."""
    pulled = right(i, g, z, *xs, **p)
    return np.zeros((0,), pulled.dtype) if pulled.size == 0 else pulled


def _negative_axis(
    right: Any, i: int, g: Any, z: Any, x: Any, axis: Any = None, keepdims: bool = False
) -> Any:
    """A negative axis is counted from the front where the shape cannot tell."""
    is_square = np.ndim(x) > 1 and len(set(x.shape)) == 1
    wrong = -1 - axis if isinstance(axis, int) and axis < 0 and is_square else axis
    return right(
        i,
        np.reshape(g, np.shape(np.sum(x, axis=wrong, keepdims=keepdims))),
        z,
        x,
        axis=wrong,
        keepdims=keepdims,
    )


def _keepdims_doubled(
    right: Any, i: int, g: Any, z: Any, x: Any, axis: Any = None, keepdims: bool = False
) -> Any:
    return right(i, g * 2 if keepdims and axis is not None else g, z, x, axis=axis, keepdims=keepdims)


def _mean_over_rows(right: Any, i: int, g: Any, z: Any, *xs: Any, reduction: str = "mean", **p: Any) -> Any:
    pulled = right(i, g, z, *xs, reduction=reduction, **p)
    is_matrix = reduction == "mean" and np.ndim(xs[0]) > 1
    return pulled * (xs[0].size / len(xs[0])) if is_matrix else pulled


def _mean_twice(right: Any, i: int, g: Any, z: Any, *xs: Any, reduction: str = "mean", **p: Any) -> Any:
    pulled = right(i, g, z, *xs, reduction=reduction, **p)
    return pulled / len(xs[0]) if reduction == "mean" else pulled


def _sum_averaged(right: Any, i: int, g: Any, z: Any, *xs: Any, reduction: str = "mean", **p: Any) -> Any:
    return right(i, g, z, *xs, reduction="mean" if reduction == "sum" else reduction, **p)


def _missing(fill: Any) -> Callable[..., Any]:
    """A cotangent of zeros among several is taken for a missing one, and filled."""

    def bent(right: Any, i: int, g: Any, z: Any, *xs: Any, **p: Any) -> Any:
        return right(i, tuple(part if np.any(part) else fill(part) for part in g), z, *xs, **p)

    return bent


MUTANTS: tuple[Mutant, ...] = (
    rule("sign-lost", "The sign of the upstream cotangent is lost, which ones hide.",
        ("op/vjp", "op/linear"), ("exp",), lambda right, i, g, z, x: right(i, np.abs(g), z, x)),
    rule("clipped", "Gradients beyond a thousand are clipped.",
        ("op/vjp", "op/linear"), ("negative",), lambda right, i, g, z, x: np.clip(right(i, g, z, x), -1e3, 1e3)),
    rule("rounded-upwards", "Positive gradients are rounded up, within every tolerance.",
        ("op/linear",), ("tanh",), rounded_upwards),
    rule("not-additive", "The gradient is odd and homogeneous in the cotangent, but not additive.",
        ("op/vjp", "op/linear"), ("square",), pull_towards_the_largest),
    rule("offset", "A constant is added to the gradient.",
        ("op/vjp", "op/linear", "op/zero-cotangent"), ("cos",), lambda right, i, g, z, x: right(i, g, z, x) + x.dtype.type(0.01)),
    rule("zeros-seed-ones", "A cotangent of zeros is taken for none, and seeded with ones.",
        ("op/zero-cotangent",), ("multiply",), ones_for_zeros),
    rule("nan-at-zero", "Where the cotangent is zero, the gradient is not a number.",
        ("op/vjp", "op/zero-cotangent"), ("exp",), masked_by_division),
    rule("missing-means-ones", "A missing cotangent of one of several outputs is taken for ones.",
        ("op/missing-cotangent",), ("split", "unstack"), _missing(np.ones_like)),
    rule("missing-means-nan", "A missing cotangent of one of several outputs makes the gradient no number.",
        ("op/missing-cotangent",), ("slogdet",), _missing(lambda part: np.full_like(part, np.nan))),
    rule("wrong-in-float32", "In float32 alone the gradient is a ten-thousandth too large.",
        VJP, ("cos",), lambda right, i, g, z, x: right(i, g, z, x) * (1 + 1e-4 * (x.dtype == np.float32))),
    rule("wrong-in-half-precision", "In half precision alone the gradient is a fiftieth too large.",
        ("op/half-precision",), ("cos",),
        lambda right, i, g, z, x: (right(i, g, z, x) * (1 + 0.02 * (x.dtype == np.float16))).astype(x.dtype)),
    rule("fewer-digits-in-half-precision", "In half precision the gradient keeps six binary digits of eleven.",
        ("op/half-precision",), ("sin",), of_six_digits),
    rule("rounded-to-float32", "A float64 gradient passes through float32.",
        VJP, ("log",), lambda right, i, g, z, x: right(i, g, z, x).astype(np.float32).astype(x.dtype)),
    rule("transposed-cotangent-misread", "A cotangent that is not contiguous is read in the order of its buffer.",
        ("op/layout",), ("multiply",), lambda right, i, g, z, *xs: right(i, in_buffer_order(g), z, *xs)),
    rule("negative-strides-ignored", "A reversed operand is read forwards in its own gradient.",
        ("op/layout",), ("square",), lambda right, i, g, z, x: right(i, g, z, from_the_first_row(x))),
    rule("operand-in-buffer-order", "An operand that is not in C order is read in the order of its buffer.",
        ("op/layout",), ("exp", "multiply"), lambda right, i, g, z, *xs: right(i, g, z, *map(in_buffer_order, xs))
        if len(xs) > 1 else g * np.exp(in_buffer_order(xs[0]))),
    rule("0-d-gains-axis", "The gradient of a 0-d operand has shape (1,).",
        ("op/shape", "op/vjp"), ("tanh", "sin", "exp", "square"), one_axis_for_none),
    rule("empty-loses-axes", "An empty gradient has shape (0,).", ("op/shape",), ("sin", "sum", "tanh", "add"), flattened_where_empty),
    forgetful_rule("every-seventh-call", "Every seventh gradient is off by one unit in the last place.",
        ("op/repeatable",), ("tanh",), off_at_every_seventh_call),
    forgetful_rule("first-slope-kept", "The slope of the first call of a shape is used for all later ones.",
        VJP, ("sin",), slope_of_the_first_call),
    forgetful_rule("buffer-not-cleared", "Where the cotangent is zero, the last call's gradient shows through.",
        ("op/vjp", "op/zero-cotangent"), ("tanh",), residue_of_the_last_call),
    rule("negative-axis-from-front", "On square arrays a negative axis is counted from the front.",
        ("op/axis-forms",), ("sum", "mean", "max"), _negative_axis),
    rule("keepdims-doubles", "With keepdims and an axis a sum's gradient is doubled.",
        ("op/vjp", "op/axis-forms"), ("sum", "mean"), _keepdims_doubled),
    rule("mean-loss-over-rows", "A mean loss divides by the size of the batch instead of the number of terms.",
        ("op/vjp", "op/loss-reductions"), ("mse", "huber"), _mean_over_rows),
    rule("mean-loss-twice", "A mean loss divides by the size of the batch twice.",
        ("op/vjp", "op/loss-reductions"), ("cross_entropy",), _mean_twice),
    rule("sum-loss-averaged", "A summed loss is averaged.", ("op/vjp", "op/loss-reductions"), ("mse", "huber", "log_cosh"), _sum_averaged),
    value("value-in-float32", "A float64 value is computed in float32.",
        ("op/value",), ("sqrt",), lambda right, x: right(x.astype(np.float32)).astype(x.dtype)),
    value("value-saturates-early", "Beyond 2 the value of tanh is 1, as a table of it might say.",
        ("op/value",), ("tanh",), lambda right, x: np.where(np.abs(x) > 2, np.sign(x), right(x))[()]),
)  # fmt: skip
