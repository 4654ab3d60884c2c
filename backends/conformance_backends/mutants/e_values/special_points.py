"""Mutants that are wrong only at a tie, a kink, a singularity or an extreme."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from conformance.backend import Backend
from conformance.ops.comparisons.orders import quantile_vjp
from conformance.ops.reductions import axes_of, kept
from conformance_backends.mutants.mutant import Mutant, Wrong, rule, stateful_rule, value, with_ops
from conformance_backends.numpy_backend import NumpyTape


def in_full(right: Any, i: int, g: Any, z: Any, x: Any, axis: Any = None, keepdims: bool = False) -> Any:
    """Every tied entry receives the whole cotangent."""
    return kept(g, x, axis) * (x == kept(z, x, axis))


def only_alone(right: Any, i: int, g: Any, z: Any, x: Any, axis: Any = None, keepdims: bool = False) -> Any:
    """Tied entries receive nothing."""
    is_chosen = x == kept(z, x, axis)
    ties = np.sum(is_chosen, axis=axes_of(np.shape(x), axis), keepdims=True)
    return kept(g, x, axis) * (is_chosen & (ties == 1))


def by_rank(right: Any, i: int, g: Any, z: Any, x: Any, axis: int = -1) -> Any:
    """The cotangent at the rank of each entry; equal entries have the same rank."""
    smaller = np.sum(np.expand_dims(x, -1) > np.expand_dims(x, -2), axis=-1)
    is_along_last = axis % max(np.ndim(x), 1) == np.ndim(x) - 1
    return np.take_along_axis(g, smaller, axis=-1) if is_along_last else right(i, g, z, x, axis=axis)


def at(point: float, derivative: float) -> Wrong:
    """Right except at one point, where the derivative is `derivative`."""

    def altered(right: Any, i: int, g: Any, z: Any, x: Any, **p: Any) -> Any:
        return np.where(x == point, derivative * g, right(i, g, z, x, **p)).astype(g.dtype)

    return altered


def changing_with_calls() -> Wrong:
    """At 0 the derivative is 0 in the first two calls, and 1 later."""
    calls = 0

    def altered(right: Any, i: int, g: Any, z: Any, x: Any) -> Any:
        nonlocal calls
        calls += bool(np.any(x == 0))
        return np.where(x == 0, g if calls > 2 else 0 * g, right(i, g, z, x))

    return altered


def middles_in_full(
    right: Any, i: int, g: Any, z: Any, x: Any, q: float, axis: Any = None, keepdims: bool = False
) -> Any:
    """Where the two middle ones of an even count are equal, each has the whole cotangent."""
    pulled = right(i, g, z, x, q=q, axis=axis, keepdims=keepdims)
    return np.where(x == kept(z, x, axis), kept(g, x, axis), pulled) if np.size(x) % 2 == 0 else pulled


def no_number_beside_a_zero(right: Any, i: int, g: Any, z: Any, x: Any, y: Any, p: float) -> Any:
    """A row that is at no distance from one of several others has no number as its gradient."""
    pulled = right(i, g, z, x, y, p=p)
    is_at_0 = np.any(z == 0, axis=-1 - i) & ~np.all(z == 0, axis=-1 - i)
    return np.where(np.expand_dims(is_at_0, -1), np.nan, pulled)


def by_the_power(right: Any, i: int, g: Any, z: Any, x: Any, y: Any) -> Any:
    """The slope of a power is computed of its value, which may have overflowed."""
    return right(i, g, z, x, y) if i else g * y * z / np.where(x == 0, 1, x)


def cut_off_by_a_product(right: Any, x: Any, **p: Any) -> Any:
    """What is cut off is multiplied by zero."""
    return x * right(np.ones_like(x), **p)


def unguarded_sinc(right: Any, i: int, g: Any, z: Any, x: Any) -> Any:
    """The quotient, also where it is 0/0."""
    return np.where(x == 0, np.nan, right(i, g, z, x)).astype(g.dtype)


def divided_out(right: Any, i: int, g: Any, z: Any, x: Any, axis: Any = None, keepdims: bool = False) -> Any:
    """z/x for the product of the others."""
    return kept(g * z, x, axis) / x


def overflowing(right: Any, i: int, g: Any, z: Any, x: Any) -> Any:
    """eˣ/(1 + eˣ), which is inf/inf from some x on."""
    return np.where(x > np.log(np.finfo(x.dtype).max), np.nan, right(i, g, z, x)).astype(g.dtype)


def by_a_square(right: Any, i: int, g: Any, z: Any, x: Any) -> Any:
    """1/√(1 + x²) with a square that overflows."""
    return g / np.sqrt(1 + x * x)


def cut_off(right: Any, i: int, g: Any, z: Any, x: Any) -> Any:
    """Right, but 0 where the slope is less than a rounding error of one."""
    slope = right(i, np.ones_like(g), z, x)
    return np.where(np.abs(slope) < np.finfo(x.dtype).eps, 0, g * slope).astype(g.dtype)


def quotient_of_square(right: Any, i: int, g: Any, z: Any, x: Any, y: Any) -> Any:
    """x/y² for the denominator, whose square overflows."""
    pulled = right(i, g, z, x, y)
    return (
        np.where(np.isfinite(y * y), pulled, 0).astype(g.dtype)
        if i == 1 and pulled.shape == np.shape(y)
        else pulled
    )


def squares_summed(right: Any, i: int, g: Any, z: Any, x: Any, y: Any) -> Any:
    """x/√(x² + y²) with squares that overflow."""
    pulled = right(i, g, z, x, y)
    return np.where(np.isfinite(x * x + y * y), pulled, 0) if np.shape(pulled) == np.shape(z) else pulled


def multiplied(right: Any, i: int, g: Any, z: Any, c: Any, x: Any, y: Any) -> Any:
    """0 · g for the operand that is not selected."""
    pulled = right(i, g, z, c, x, y)
    is_leaking = np.shape(pulled) == np.shape(g)
    return g * (c if i == 1 else ~c) if is_leaking else pulled


def to_both(right: Any, i: int, g: Any, z: Any, c: Any, x: Any, y: Any) -> Any:
    """The operand that is not selected receives g as well."""
    return right(i, g, z, np.ones_like(c) if i == 1 else np.zeros_like(c), x, y)


def simplifying(name: str, wrong: str, inner: str, outer: str, result: Callable[..., Any]) -> Mutant:
    """An engine that replaces an op of another op's result by `result(ops, *operands of that op)`."""

    def make() -> Backend:
        ops = NumpyTape.ops
        made: dict[int, tuple[Any, tuple[Any, ...]]] = {}  # by the identity of a result, it and its operands

        def first(*operands: Any, **parameters: Any) -> Any:
            z = ops[inner](*operands, **parameters)
            made[id(z)] = z, operands
            return z

        def second(x: Any, *others: Any, **parameters: Any) -> Any:
            return result(ops, *made[id(x)][1]) if id(x) in made else ops[outer](x, *others, **parameters)

        return with_ops({inner: first, outer: second})

    return Mutant(name, wrong, ("point/composition",), make, (inner, outer))


def rules(*written: tuple[str, str, tuple[str, ...], str, Wrong]) -> tuple[Mutant, ...]:
    """Mutants of one op each."""
    return tuple(rule(name, wrong, kills, (op,), altered) for name, wrong, kills, op, altered in written)


def as_neutral(right: Any, i: int, g: Any, z: Any, x: Any, **parameters: Any) -> Any:
    """One of a product, or zero of a sum, in place of what is no number: it has a gradient."""
    neutral = 1 if np.ndim(z) < np.ndim(x) else 0
    return right(i, g, z, np.where(np.isnan(x), neutral, x).astype(x.dtype), **parameters)


def counting_nan(right: Any, i: int, g: Any, z: Any, x: Any, **parameters: Any) -> Any:
    """Divided by the number of all entries."""
    share = np.count_nonzero(~np.isnan(x)) / max(np.size(x), 1)
    return right(i, g, z, x, **parameters) * share


def among_all(right: Any, i: int, g: Any, z: Any, x: Any, **parameters: Any) -> Any:
    """The place of the quantile of all entries, those that are no numbers the largest."""
    return quantile_vjp(g, z, x, **parameters)


def without_nan(right: Any, x: Any, *, axis: Any = None, keepdims: bool = False) -> Any:
    """The largest of those that are numbers."""
    return right(np.where(np.isnan(x), -np.inf, x), axis=axis, keepdims=keepdims)


def running_without_nan(right: Any, x: Any, *, axis: int) -> Any:
    """The same of a running maximum."""
    return np.fmax.accumulate(x, axis=axis)


def values_multiplied(right: Any, condition: Any, x: Any, y: Any) -> Any:
    """What is not selected is multiplied by zero, and added."""
    return condition * x + (~condition) * y if condition.dtype == bool else right(condition, x, y)


def by_the_difference(right: Any, x: Any, y: Any) -> Any:
    """max + log1p exp −|x − y|, which has no difference of equal infinities."""
    return np.maximum(x, y) + np.log1p(np.exp(-np.abs(x - y)))


def tied_along_the_last(right: Any, i: int, g: Any, z: Any, x: Any, axis: Any = None, **_: Any) -> Any:
    """Over several axes, ties are counted along the last of them alone."""
    last = axis[-1] if isinstance(axis, tuple) and len(axis) > 1 else axis
    is_largest = x == kept(z, x, axis)
    return (
        kept(g, x, axis) * is_largest / np.sum(is_largest, axis=last, keepdims=True).clip(1).astype(g.dtype)
    )


def lowest_for_infinity(right: Any, x: Any, **placing: Any) -> Any:
    """The margin holds the lowest number instead of -inf, and a window of -inf is that number."""
    z = right(x, **placing)
    return np.where(np.isneginf(z), np.finfo(z.dtype).min, z) if np.any(placing["padding"]) else z


def in_one_pass(
    right: Any, x: Any, *, axis: Any = None, keepdims: bool = False, correction: float = 0
) -> Any:
    """The mean of the squares less the square of the mean."""
    if correction or not x.size:
        return right(x, axis=axis, keepdims=keepdims, correction=correction)
    mean = np.mean(x, axis=axis, keepdims=keepdims)
    return np.mean(x * x, axis=axis, keepdims=keepdims) - mean * mean


def by_products(right: Any, x: Any, y: Any, *, p: float) -> Any:
    """√(|x|² + |y|² − 2 x·y)."""
    squares = np.sum(x * x, axis=-1)[..., :, None] + np.sum(y * y, axis=-1)[..., None, :]
    return np.sqrt(np.abs(squares - 2 * x @ np.swapaxes(y, -1, -2))) if p == 2 else right(x, y, p=p)


def held_above(right: Any, i: int, g: Any, z: Any, x: Any, y: Any, axis: int) -> Any:
    """The norm of the operand is taken for 1e-8 where it is less."""
    norm = np.linalg.vector_norm((x, y)[i], axis=axis, keepdims=True)
    return right(i, g, z, x, y, axis=axis) * (norm / np.maximum(norm, 1e-8)).astype(g.dtype)


def summed_along_rows(right: Any, i: int, g: Any, z: Any, x: Any, y: Any) -> Any:
    """The gradient of a column beside a vector as long is summed along the other axis."""
    is_column = i == 0 and np.shape(x) == (*np.shape(y), 1)
    return np.reshape(np.sum(g * y, axis=0), np.shape(x)) if is_column else right(i, g, z, x, y)


FINITE = ("point/finite",)
KINK = ("point/kink",)
LIMIT = ("point/limit",)
TIE = ("point/tie",)
VALUE = ("point/value",)

MUTANTS: tuple[Mutant, ...] = (
    value("cut-off-by-a-product", "What a triangle leaves out is multiplied by zero, and so an infinity too.", VALUE, ("tril",), cut_off_by_a_product),
    *rules(
        ("middles-in-full", "The two equal middle entries of an even count receive the whole cotangent each.", TIE, "quantile", middles_in_full),
        ("no-number-beside-a-zero", "Of a row at no distance from one of several others the gradient is NaN.", KINK, "cdist", no_number_beside_a_zero),
        ("slope-by-the-power", "The slope of a power is computed of its value, which overflows first.", ("point/finite",), "pow", by_the_power),
        ("ties-along-the-last-axis", "Ties of a maximum over several axes are counted along the last alone.", TIE, "max", tied_along_the_last),
        ("norm-held-above", "The rule of cosine_similarity holds a norm above 1e-8.", FINITE, "cosine_similarity", held_above),
        ("column-summed-along-rows", "The gradient of a column times a vector as long is summed along the rows.", LIMIT, "multiply", summed_along_rows),
        ("ties-sum-to-two", "Every entry that ties for the maximum receives the whole cotangent.", TIE, "max", in_full),
        ("ties-get-nothing", "Entries that tie for the minimum receive nothing.", TIE, "min", only_alone),
        ("equals-share-a-rank", "A sort sends equal entries the same cotangent, and drops another.", TIE, "sort", by_rank),
        ("kink-outside", "The derivative of abs at 0 is 2, outside the subdifferential.", KINK, "abs", at(0.0, 2.0)),
        ("kink-nan", "The derivative of hard_tanh at 1 is NaN.", KINK, "hard_tanh", at(1.0, np.nan)),
        ("kink-right-for-zero", "The derivative of relu at 0 is 1, where 0 is declared.", KINK, "relu", at(0.0, 1.0)),
        ("border-zero-for-infinite", "The derivative of sqrt at 0 is 0, where infinity is declared.", ("point/border",), "sqrt", at(0.0, 0.0)),
        ("sinc-nan-at-0", "The derivative of sinc at 0 is computed as 0/0.", LIMIT, "sinc", unguarded_sinc),
        ("spence-nan-at-1", "The derivative of spence at 1 is computed as 0/0.", LIMIT, "spence", at(1.0, np.nan)),
        ("betainc-nan-at-0", "The derivative of betainc at 0 is NaN where a power of 0 is 1.", LIMIT, "betainc", at(0.0, np.nan)),
        ("square-nudged-at-0", "The derivative of square at 0 is 1; it is right next to 0.", LIMIT, "square", at(0.0, 1.0)),
        ("product-divides-by-zero", "The gradient of prod divides by each entry, one of which may be zero.", LIMIT, "prod", divided_out),
        ("softplus-overflows", "The derivative of softplus is eˣ over 1 + eˣ, both of which overflow.", FINITE, "softplus", overflowing),
        ("hypot-overflows", "The derivatives of hypot are zero where its squares overflow.", FINITE, "hypot", squares_summed),
        ("divide-overflows", "The derivative of divide by a denominator is zero where its square overflows.", FINITE, "divide", quotient_of_square),
        ("tail-overflows", "The derivative of asinh is zero where the square of the operand overflows.", ("point/tail",), "asinh", by_a_square),
        ("tail-cut-off", "The derivative of softplus is zero where it is small.", ("point/tail",), "softplus", cut_off),
        ("mask-multiplies", "The operand of where that is not selected receives zero times the cotangent.", ("point/mask",), "where", multiplied),
        ("mask-leaks", "The operand of where that is not selected receives the cotangent too.",
            ("point/mask", "contract/E16/masked-domain", "contract/E16/masked-twice"), "where", to_both),
        *((f"{op}-gives-to-nan", f"What is no number receives what a neutral entry of {op} would.", ("point/mask",), op, as_neutral)
          for op in ("nanprod", "nancumsum")),
        *((f"{op}-counts-nan", f"What is no number counts where {op} divides the sum.", ("point/mask",), op, counting_nan)
          for op in ("nanvar", "nanstd")),
        ("nanquantile-counts-nan", "What is no number counts where nanquantile finds its place.", ("point/mask",), "nanquantile", among_all),
    ),
    stateful_rule("kink-changes-with-calls", "The derivative of relu at 0 changes with the calls.", ("point/composition",), ("relu",), changing_with_calls),
    value("tail-lost-beside-1", "A value in the tail is what is left of it beside 1.", VALUE, ("ndtr", "expm1"), lambda right, x: (1 + right(x)) - 1),
    value("nanmax-takes-nan-for-0", "NaN is 0.", VALUE, ("nanmax",), lambda right, x, **p: right(np.where(np.isnan(x), 0, x), **p)),
    value("max-drops-nan", "The maximum leaves out what is no number.", VALUE, ("max",), without_nan),
    value("lowest-for-infinity", "The margin of a pool holds the lowest number.", VALUE, ("max_pool3d",), lowest_for_infinity),
    value("variance-in-one-pass", "The variance is a difference of large numbers.", VALUE, ("var",), in_one_pass),
    value("distance-by-products", "The distance is a difference of large numbers.", VALUE, ("cdist",), by_products),
    value("subnormals-uncounted", "A subnormal number counts as zero.", VALUE, ("count_nonzero",),
        lambda right, x, **p: right(np.where(np.abs(x) < np.finfo(x.dtype).tiny, 0, x), **p)),
    value("cummax-drops-nan", "The running maximum leaves out what is no number.", VALUE, ("cummax",), running_without_nan),
    value("where-multiplies-values", "where multiplies its operands with its condition.", VALUE, ("where",), values_multiplied),
    value("logaddexp-of-infinities", "logaddexp subtracts equal infinities.", VALUE, ("logaddexp",), by_the_difference),
    simplifying("root-undoes-square", "The root of a square is the number, whose sign may differ.",
        "square", "sqrt", lambda ops, x: ops["positive"](x)),
    simplifying("exponential-undoes-logarithm", "The exponential of a logarithm is the number, also of one that has no logarithm.",
        "log", "exp", lambda ops, x: ops["positive"](x)),
    simplifying("softmax-log-along-the-last", "The logarithm of a softmax is taken along the last axis, whichever the softmax has.",
        "softmax", "log", lambda ops, x: ops["log_softmax"](x, axis=-1)),
)  # fmt: skip
