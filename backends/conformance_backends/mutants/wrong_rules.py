"""Mutants whose gradients have wrong numbers on every call, as the rules that people write down wrongly do."""

from __future__ import annotations

from typing import Any

import numpy as np

from conformance.ops.indexing import key_of
from conformance.ops.reductions import kept
from conformance_backends.mutants.mutant import Mutant, rule

VJP = ("op/vjp",)
BROADCAST = ("op/vjp", "op/broadcasting")


# ---- how a broadcast operand is summed -----------------------------------------------------------


def averaged(right: Any, i: int, g: Any, z: Any, *xs: Any, **p: Any) -> Any:
    """The mean over the broadcast axes."""
    return right(i, g, z, *xs, **p) * max(np.size(xs[i]), 1) / max(np.size(g), 1)


def summed_over_last_axis(right: Any, i: int, g: Any, z: Any, *xs: Any) -> Any:
    """A vector against a square matrix: the shape is right, the axis is not."""
    if np.ndim(xs[i]) == 1 and np.ndim(g) == 2 and g.shape[0] == g.shape[1]:
        return right(i, g.T, z.T, *(x.T for x in xs))
    return right(i, g, z, *xs)


def not_summed_over_ones(right: Any, i: int, g: Any, z: Any, *xs: Any, **p: Any) -> Any:
    """Leading axes are summed, stretched ones are not."""
    return np.sum(g, axis=tuple(range(np.ndim(g) - np.ndim(xs[i]))))


def last_copy_counts(right: Any, i: int, g: Any, z: Any, *xs: Any, **p: Any) -> Any:
    """Only the last copy along a leading axis counts."""
    if np.ndim(xs[i]) < np.ndim(g) and np.size(g):
        return right(i, np.concatenate([np.zeros_like(g[:-1]), g[-1:]]), z, *xs, **p)
    return right(i, g, z, *xs, **p)


# ---- products, norms and shapes ------------------------------------------------------------------


def untransposed_on_squares(right: Any, i: int, g: Any, z: Any, a: Any, b: Any) -> Any:
    """g B for g Bᵀ, which fits only where everything is square."""
    if i == 0 and np.ndim(a) == np.ndim(b) == 2 and b.shape[0] == b.shape[1]:
        return np.matmul(g, b)
    return right(i, g, z, a, b)


def over_the_batch(right: Any, i: int, g: Any, z: Any, a: Any, b: Any) -> Any:
    """The weight's gradient divided by the number of rows."""
    pulled = right(i, g, z, a, b)
    return pulled / a.shape[0] if i == 1 and np.ndim(a) == 2 and len(a) else pulled


def statistics_as_constants(right: Any, i: int, g: Any, z: Any, x: Any, *rest: Any, eps: float) -> Any:
    """The mean and the variance do not depend on x."""
    if i > 0:
        return right(i, g, z, x, *rest, eps=eps)
    return g * rest[0] / np.sqrt(np.var(x, axis=-1, keepdims=True) + x.dtype.type(eps))


def overwriting(right: Any, i: int, g: Any, z: Any, x: Any, index: Any) -> Any:
    """What is picked twice keeps only its last cotangent."""
    pulled = np.zeros_like(x)
    pulled[key_of(index)] = g
    return pulled


def overwriting_taken(
    right: Any, i: int, g: Any, z: Any, x: Any, *along: Any, axis: Any, indices: Any = None
) -> Any:
    """The same for what is taken along an axis, by places in a list or in an operand."""
    pulled = np.zeros_like(x)
    if along:
        np.put_along_axis(pulled, along[0], g, axis=axis)
    elif axis is None:
        pulled.reshape(-1)[indices] = g
    else:
        pulled[(slice(None),) * (axis % np.ndim(x)) + (indices,)] = g
    return pulled


def in_equal_parts(right: Any, i: int, g: Any, z: Any, *xs: Any, axis: int) -> Any:
    """A concatenation's cotangent is cut into equal parts, each then made to fit its operand."""
    if np.shape(g)[axis] % len(xs):
        return right(i, g, z, *xs, axis=axis)
    return np.resize(np.split(g, len(xs), axis=axis)[i], xs[i].shape)


def _ratio(right: Any, i: int, g: Any, z: Any, x: Any, axis: Any = None, keepdims: bool = False) -> Any:
    return kept(g * z, x, axis) / x


def _sorted_by_itself(right: Any, i: int, g: Any, z: Any, x: Any, axis: int) -> Any:
    return np.take_along_axis(g, np.argsort(x, axis=axis), axis=axis)


def _over_rows(right: Any, i: int, g: Any, z: Any, x: Any, axis: Any = None, keepdims: bool = False) -> Any:
    spread = right(i, g, z, x, axis=axis, keepdims=keepdims)
    return spread * (x.size / len(x)) if axis is None and np.ndim(x) > 1 and x.size else spread


def _population(right: Any, i: int, g: Any, z: Any, x: Any, **p: Any) -> Any:
    return right(i, g, z, x, **{**p, "correction": 0})


def _second_dropped(right: Any, i: int, g: Any, z: Any, *xs: Any, **p: Any) -> Any:
    return right(i, g, z, *xs, **p) if i == 0 else None


def _swapped(right: Any, i: int, g: Any, z: Any, x: Any, y: Any) -> Any:
    return right(1 - i if x.shape == y.shape else i, g, z, x, y)


def _signs_alike(right: Any, i: int, g: Any, z: Any, x: Any, y: Any) -> Any:
    return right(0, g, z, x, y) if x.shape == y.shape else right(i, g, z, x, y)


def a_millionth_too_large(right: Any, i: int, g: Any, z: Any, *xs: Any, **p: Any) -> Any:
    """Within many a tolerance."""
    return right(i, g, z, *xs, **p) * (1 + 1e-6)


def six_units_too_large(right: Any, i: int, g: Any, z: Any, *xs: Any, **p: Any) -> Any:
    """Within what a library's functions are allowed, of which a sum calls none."""
    return right(i, g, z, *xs, **p) * (1 + 6 * np.finfo(g.dtype).eps)


def _once(right: Any, i: int, g: Any, z: Any, x: Any, y: Any) -> Any:
    return right(i, g, z, x, y) * (0.5 if np.array_equal(x, y) else 1)


MUTANTS: tuple[Mutant, ...] = (
    rule("upstream-dropped", "The gradient of sin is cos, whatever comes from upstream.",
        ("op/vjp", "op/linear", "op/zero-cotangent", "example/W6/chain-rule"), ("sin",),
        lambda right, i, g, z, x: right(i, np.ones_like(g), z, x)),
    rule("upstream-dropped-in-products", "A matrix product's gradient takes its upstream for ones.",
        ("op/vjp", "example/W1/matmul-upstream"), ("matmul",),
        lambda right, i, g, z, a, b: right(i, np.ones_like(g), z, a, b)),
    rule("cotangent-squared", "A square multiplies twice by its upstream, which ones hide.",
        ("op/vjp", "op/linear"), ("square",), lambda right, i, g, z, x: right(i, g * g, z, x)),
    rule("repeated-operand-once", "The two operands of x * x share one contribution.",
        ("contract/B1/repeated-operand", "example/W2/square-upstream"), ("multiply",), _once),
    rule("a-millionth-too-large", "The gradient of tanh is a millionth too large, within many a tolerance.",
        VJP, ("tanh",), a_millionth_too_large),
    *(rule(f"{op.replace('_', '-')}-a-millionth-too-large", f"The gradient of {op} is a millionth too large.",
        VJP, (op,), a_millionth_too_large) for op in ("max", "min", "ptp", "median", "max_pool2d")),
    rule("sum-six-units-too-large", "The gradient of a sum is six units in the last place too large.",
        VJP, ("add",), six_units_too_large),
    rule("unbroadcast-averages", "A broadcast operand receives the mean over the broadcast axes.",
        BROADCAST, ("add",), averaged),
    rule("unbroadcast-wrong-axis", "A vector that multiplies a square matrix is summed over the wrong axis.",
        BROADCAST, ("multiply", "add", "subtract"), summed_over_last_axis),
    rule("unbroadcast-keeps-ones", "Axes of size 1 that were stretched are not summed.",
        ("op/vjp", "op/shape"), ("add",), not_summed_over_ones),
    rule("unbroadcast-last-copy", "Of the copies along a leading axis only the last one counts.",
        BROADCAST, ("subtract",), last_copy_counts),
    rule("matmul-untransposed", "g B stands for g Bᵀ where the matrices are square.",
        ("op/vjp", "example/W8/fan-out"), ("matmul",), untransposed_on_squares),
    rule("matmul-over-batch", "The weight's gradient is averaged over the batch instead of summed.",
        ("op/vjp", "op/per-example", "contract/B16/batch-is-sum", "example/W7/batch-reductions"), ("matmul",), over_the_batch),
    rule("permutation-uninverted", "A permutation of axes is applied again instead of undone.",
        VJP, ("permute_dims",), lambda right, i, g, z, x, axes=None: np.transpose(g, axes).reshape(x.shape)),
    rule("axis-moved-again", "An axis is moved the same way again; where sizes are equal, no shape tells.",
        VJP, ("moveaxis",), lambda right, i, g, z, x, **p: np.moveaxis(g, **p).reshape(x.shape)),
    rule("rolled-again", "A roll is rolled on instead of back.",
        VJP, ("roll",), lambda right, i, g, z, x, **p: np.roll(g, **p)),
    rule("sorted-by-itself", "A sort's cotangent is gathered by the permutation instead of its inverse.",
        VJP, ("sort",), _sorted_by_itself),
    rule("running-sum-forwards", "The running sum of the cotangent runs forwards.",
        VJP, ("cumulative_sum",), lambda right, i, g, z, x, axis: np.cumsum(g, axis=axis).reshape(x.shape)),
    rule("softmax-uncoupled", "The entries of a softmax are differentiated as if each stood alone.",
        ("op/vjp", "op/shift"), ("softmax",), lambda right, i, g, z, x, axis: g * z * (1 - z)),
    rule("statistics-constant", "A layer norm's mean and variance are held constant.",
        ("op/vjp", "op/shift"), ("layer_norm",), statistics_as_constants),
    rule("product-by-division", "A product's gradient is z / x, which is no number at zeros.",
        VJP, ("prod",), _ratio),
    rule("mean-by-rows", "A mean over everything divides by the number of rows.",
        ("op/vjp", "contract/B16/batch-is-sum", "example/W7/batch-reductions"), ("mean",), _over_rows),
    rule("correction-ignored", "A variance's gradient divides by n whatever the correction.", ("op/vjp", "op/euler"), ("var",), _population),
    rule("repeats-overwrite", "An entry picked twice keeps the last cotangent instead of their sum.",
        VJP, ("getitem_integer_array",), overwriting),
    rule("taken-twice-overwrites", "An entry taken twice keeps the last cotangent.",
        VJP, ("take", "take_along_axis"), overwriting_taken),
    rule("concatenation-cut-equally", "A concatenation's cotangent is cut into equal parts.",
        ("op/vjp", "op/inverse"), ("concat",), in_equal_parts),
    rule("exponent-forgotten", "The exponent of a power gets no gradient.", VJP, ("pow",), _second_dropped),
    rule("operands-swapped", "The two gradients of atan2 are swapped where the shapes are equal.", VJP, ("atan2",), _swapped),
    rule("signs-alike", "What is subtracted receives a gradient of the wrong sign where the shapes are equal.",
        ("op/vjp", "op/shift", "contract/E7/cancelling"), ("subtract",), _signs_alike),
    rule("inverse-untransposed", "The inverse's gradient is −Z g Z instead of −Zᵀ g Zᵀ.",
        VJP, ("inv",), lambda right, i, g, z, x: -z @ g @ z),
    rule("sinc-by-quotient", "The slope of sinc is a quotient that is 0/0 at zero.",
        VJP, ("sinc",), lambda right, i, g, z, x: g * (np.cos(np.pi * x) - z) / x),
    rule("relu-leaks", "The gradient of relu passes at negative numbers too.",
        ("op/vjp", "op/euler", "example/W5/two-layers"), ("relu",), lambda right, i, g, z, x: g),
)  # fmt: skip
