"""Mutants whose gradients or values are wrong in every call."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from conformance.ops.indexing import key_of
from conformance.ops.reductions import kept
from conformance_backends.mutants.e_values.broadcasting import (
    averaged_over_the_stack,
    doubled_where_stretched,
    first_row_of_indices_counts,
)
from conformance_backends.mutants.mutant import Mutant, rule, stateful_rule, value
from conformance_backends.mutants.wrong_rules.of_one_op import OF_ONE_OP
from conformance_backends.mutants.wrong_rules.of_parameters import OF_PARAMETERS


def derivative_of_the_first_call() -> Callable[..., Any]:
    """The derivative is computed once per shape and dtype, as if the operand were a constant."""
    first: dict[Any, Any] = {}

    def altered(right: Any, i: int, g: Any, z: Any, x: Any) -> Any:
        key = x.shape, x.dtype.name
        return g * first.setdefault(key, right(i, np.ones_like(g), z, x))

    return altered


def not_summed_over_ones(right: Any, i: int, g: Any, z: Any, *xs: Any, **p: Any) -> Any:
    """Leading axes are summed, stretched ones are not."""
    return np.sum(g, axis=tuple(range(np.ndim(g) - np.ndim(xs[i]))))


def untransposed_on_squares(right: Any, i: int, g: Any, z: Any, a: Any, b: Any) -> Any:
    """g B for g Bᵀ, which fits only where everything is square."""
    if i == 0 and np.ndim(a) == np.ndim(b) == 2 and b.shape[0] == b.shape[1]:
        return np.matmul(g, b)
    return right(i, g, z, a, b)


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


def _ratio(right: Any, i: int, g: Any, z: Any, x: Any, axis: Any = None, keepdims: bool = False) -> Any:
    return kept(g * z, x, axis) / x


def _sorted_by_itself(right: Any, i: int, g: Any, z: Any, x: Any, axis: int) -> Any:
    return np.take_along_axis(g, np.argsort(x, axis=axis), axis=axis)


def _over_rows(right: Any, i: int, g: Any, z: Any, x: Any, axis: Any = None, keepdims: bool = False) -> Any:
    spread = right(i, g, z, x, axis=axis, keepdims=keepdims)
    return spread * (x.size / len(x)) if axis is None and np.ndim(x) > 1 and x.size else spread


def _second_dropped(right: Any, i: int, g: Any, z: Any, *xs: Any, **p: Any) -> Any:
    return right(i, g, z, *xs, **p) if i == 0 else None


def _swapped(right: Any, i: int, g: Any, z: Any, x: Any, y: Any) -> Any:
    return right(1 - i if x.shape == y.shape else i, g, z, x, y)


def a_millionth_too_large(right: Any, i: int, g: Any, z: Any, *xs: Any, **p: Any) -> Any:
    """Within many tolerances."""
    return right(i, g, z, *xs, **p) * (1 + 1e-6)


def six_units_too_large(right: Any, i: int, g: Any, z: Any, *xs: Any, **p: Any) -> Any:
    """Within the allowance for library functions, of which a sum calls none."""
    return right(i, g, z, *xs, **p) * (1 + 6 * np.finfo(g.dtype).eps)


def transposed_between_vectors(right: Any, i: int, g: Any, z: Any, *xs: Any) -> Any:
    """Square matrices between two vectors."""
    pulled = right(i, g, z, *xs)
    is_between = 0 < i < len(xs) - 1 and np.ndim(xs[0]) == 1 and pulled.shape[0] == pulled.shape[1]
    return pulled.T if is_between else pulled


def shifted_by_the_remainder(right: Any, i: int, g: Any, z: Any, x: Any, w: Any, b: Any, **p: Any) -> Any:
    """Entries that are left over behind the last window shift the kernels' gradient."""
    stride, dilation, padding = (np.ravel(p[name])[-1] for name in ("stride", "dilation", "padding"))
    left = (np.shape(x)[-1] + 2 * padding - dilation * (np.shape(w)[-1] - 1) - 1) % stride
    return right(i, g, z, np.roll(x, -left, -1) if i == 1 else x, w, b, **p)


def overlaps_averaged(right: Any, i: int, g: Any, z: Any, x: Any, *, axis: int, size: int, step: int) -> Any:
    """Windows that overlap by more than the step."""
    pulled = right(i, g, z, x, axis=axis, size=size, step=step)
    count = right(i, np.ones_like(g), z, x, axis=axis, size=size, step=step)
    return pulled / np.maximum(count, 1).astype(pulled.dtype) if 1 < step < size else pulled


def turned_behind(right: Any, i: int, g: Any, z: Any, x: Any, *, pad_width: Any, mode: str) -> Any:
    """Margins of a vector on both sides, wrapped."""
    behind = pad_width[0][1]
    if mode == "wrap" and np.ndim(x) == 1 and all(pad_width[0]):
        g = np.concatenate([g[:-behind], g[-behind:][::-1]])
    return right(i, g, z, x, pad_width=pad_width, mode=mode)


def spread_over_the_span(right: Any, i: int, g: Any, z: Any, x: Any, *, index: Any) -> Any:
    """A slice by steps that picks one row of several."""
    pulled = right(i, g, z, x, index=index)
    first = index[0] if index and isinstance(index[0], slice) else slice(None)
    is_alone = (first.step or 1) > 1 and np.ndim(x) and len(x) > 1 == len(x[first])
    return np.repeat(pulled.sum(0, keepdims=True), len(x), 0) if is_alone else pulled


VJP = ("op/vjp",)


def rows_beyond_a_block(right: Any, i: int, g: Any, z: Any, x: Any, y: Any) -> Any:
    """Of a matrix of more than 64 rows those behind the 64th pass nothing on."""
    if x.ndim == 2 and y.ndim < 3 and len(x) > 64:
        is_first = np.arange(len(x)) < 64
        g = g * (is_first if y.ndim == 1 else is_first[:, None]).astype(g.dtype)
    return right(i, g, z, x, y)


def kernels_without_the_last(
    right: Any, i: int, g: Any, z: Any, x: Any, *others: Any, **parameters: Any
) -> Any:
    """Of a batch of more than six the last example gives the kernels nothing."""
    if i == 1 and len(x) > 6:
        return right(i, g[:-1], z[:-1], x[:-1], *others, **parameters)
    return right(i, g, z, x, *others, **parameters)


def quotient_of_sizes(right: Any, i: int, g: Any, z: Any, x: Any, y: Any) -> Any:
    """The quotient that a divisor's cotangent is multiplied with has its sign wrong for negative divisors."""
    pulled = right(i, g, z, x, y)
    return pulled * np.sign(y) if i == 1 else pulled


def divided_by_the_weight(right: Any, i: int, g: Any, z: Any, *xs: Any, **parameters: Any) -> Any:
    """A weight is divided by before it is multiplied with."""
    pulled, weight = right(i, g, z, *xs, **parameters), parameters.get("weight")
    if weight is None or 0 not in weight:
        return pulled
    factor = np.where(np.asarray(weight) == 0, np.nan, 1).astype(pulled.dtype)
    return pulled * np.expand_dims(factor, tuple(range(1, pulled.ndim - 1)))


def of_squares(right: Any, x: Any, y: Any) -> Any:
    """The root of a sum of squares, which overflow or vanish."""
    return np.sqrt(x * x + y * y)


def log_of_a_sum(right: Any, x: Any, *, axis: Any = None, keepdims: bool = False) -> Any:
    """The logarithm of a sum of exponentials, which overflow."""
    return np.log(np.sum(np.exp(x), axis=axis, keepdims=keepdims))


def from_a_bound_on(right: Any, x: Any) -> Any:
    """Left of -30 the value is that there."""
    return np.where(x < -30, right(np.full_like(x, -30)), right(x))


def of_moments(right: Any, x: Any, *, axis: Any = None, keepdims: bool = False, correction: float = 0) -> Any:
    """The mean of the squares less the square of the mean, of which little is left far from zero."""
    mean, square = (np.mean(y, axis=axis, keepdims=keepdims) for y in (x, x * x))
    spread = right(x, axis=axis, keepdims=keepdims, correction=0)
    scale = right(x, axis=axis, keepdims=keepdims, correction=correction) / np.where(spread == 0, 1, spread)
    return (square - mean * mean) * scale


def rounded_by_one(right: Any, x: Any) -> Any:
    """Near zero the digits go that a one beside them does not leave."""
    return right((1 + x) - 1)


def halved_where_several_arrive(right: Any, i: int, g: Any, z: Any, *xs: Any, **p: Any) -> Any:
    """Where two outputs send cotangents in one pass, those of all but the first count half."""
    several = sum(bool(np.any(each)) for each in g) > 1
    return right(i, (g[0], *(each * 0.5 for each in g[1:])) if several else g, z, *xs, **p)


MUTANTS: tuple[Mutant, ...] = (
    rule("outputs-halved-together", "Where several outputs are used in one pass, the cotangents of all but the first count half.",
        ("op/outputs-together",), ("lstm_cell", "eigh", "var_mean"), halved_where_several_arrive),
    rule("wrong-in-float32", "In float32 alone the gradient is a ten-thousandth too large.",
        VJP, ("cos",), lambda right, i, g, z, x: right(i, g, z, x) * (1 + 1e-4 * (x.dtype == np.float32))),
    rule("rounded-to-float32", "A float64 gradient passes through float32.",
        VJP, ("log",), lambda right, i, g, z, x: right(i, g, z, x).astype(np.float32).astype(x.dtype)),
    stateful_rule("first-derivative-kept", "The derivative computed in the first call of a shape is used for all later ones.",
        VJP, ("sin",), derivative_of_the_first_call),
    value("value-in-float32", "A float64 value is computed in float32.",
        ("op/value",), ("sqrt",), lambda right, x: right(x.astype(np.float32)).astype(x.dtype)),
    value("value-saturates-early", "Beyond 2 the value of tanh is 1.",
        ("op/value",), ("tanh",), lambda right, x: np.where(np.abs(x) > 2, np.sign(x), right(x))[()]),
    rule("unused-operand-seeded", "The operand of where that is not selected receives the cotangent as well.",
        ("op/vjp",), ("where",), lambda right, i, g, z, c, x, y: right(i, g, z, np.full_like(c, i == 1), x, y)),
    rule("upstream-dropped-in-products", "The gradient of a matrix product uses ones instead of the upstream cotangent.",
        ("op/vjp", "example/W1/matmul-upstream"), ("matmul",),
        lambda right, i, g, z, a, b: right(i, np.ones_like(g), z, a, b)),
    rule("a-millionth-too-large", "The gradient of tanh is a millionth too large, which is within many tolerances.",
        VJP, ("tanh",), a_millionth_too_large),
    *(rule(f"{op.replace('_', '-')}-a-millionth-too-large", f"The gradient of {op} is a millionth too large.",
        VJP, (op,), a_millionth_too_large) for op in ("max", "min", "ptp", "median", "max_pool2d")),
    rule("sum-six-units-too-large", "The gradient of a sum is six units in the last place too large.",
        VJP, ("add",), six_units_too_large),
    rule("unbroadcast-keeps-ones", "Axes of size 1 that were stretched are not summed.",
        ("op/vjp", "op/shape"), ("add",), not_summed_over_ones),
    rule("matmul-untransposed", "The gradient is g B instead of g Bᵀ where the matrices are square.",
        ("op/vjp", "example/W8/fan-out"), ("matmul",), untransposed_on_squares),
    rule("permutation-uninverted", "A permutation of axes is applied again instead of inverted.",
        VJP, ("permute_dims",), lambda right, i, g, z, x, axes=None: np.transpose(g, axes).reshape(x.shape)),
    rule("moveaxis-repeated", "moveaxis is applied again instead of undone; where sizes are equal, the shape does not show it.",
        VJP, ("moveaxis",), lambda right, i, g, z, x, **p: np.moveaxis(g, **p).reshape(x.shape)),
    rule("rolled-again", "A roll's cotangent is rolled forwards instead of back.",
        VJP, ("roll",), lambda right, i, g, z, x, **p: np.roll(g, **p)),
    rule("sorted-by-itself", "A sort's cotangent is gathered by the permutation instead of its inverse.",
        VJP, ("sort",), _sorted_by_itself),
    rule("running-sum-forwards", "The running sum of the cotangent runs forwards.",
        VJP, ("cumulative_sum",), lambda right, i, g, z, x, axis: np.cumsum(g, axis=axis).reshape(x.shape)),
    rule("product-by-division", "The gradient of prod is z / x, which is NaN at zeros.",
        VJP, ("prod",), _ratio),
    rule("mean-by-rows", "A mean over everything divides by the number of rows.",
        ("op/vjp", "contract/B16/batch-is-sum", "example/W7/batch-reductions"), ("mean",), _over_rows),
    rule("repeats-overwrite", "An entry picked twice keeps the last cotangent instead of the sum.",
        VJP, ("getitem_integer_array",), overwriting),
    rule("taken-twice-overwrites", "An entry taken twice keeps the last cotangent.",
        VJP, ("take", "take_along_axis"), overwriting_taken),
    rule("exponent-without-gradient", "The exponent of a power gets no gradient.", VJP, ("pow",), _second_dropped),
    rule("operands-swapped", "The two gradients of atan2 are swapped where the shapes are equal.", VJP, ("atan2",), _swapped),
    rule("inverse-untransposed", "The inverse's gradient is −Z g Z instead of −Zᵀ g Zᵀ.",
        VJP, ("inv",), lambda right, i, g, z, x: -z @ g @ z),
    rule("sinc-by-quotient", "The derivative of sinc is a quotient that is 0/0 at zero.",
        VJP, ("sinc",), lambda right, i, g, z, x: g * (np.cos(np.pi * x) - z) / x),
    rule("attention-sees-later-keys", "The gradient of causal attention is that of attention to everything.",
        VJP, ("scaled_dot_product_attention",),
        lambda right, i, g, z, *xs, is_causal: right(i, g, z, *xs, is_causal=False)),
    rule("relu-leaks", "The gradient of relu is passed on at negative numbers too.",
        ("op/vjp", "op/euler", "example/W5/two-layers"), ("relu",), lambda right, i, g, z, x: g),
    rule("rows-beyond-a-block", "Of a matrix of more than 64 rows those behind the 64th pass nothing on.",
        ("op/vjp",), ("matmul", "dot"), rows_beyond_a_block),
    rule("kernels-without-the-last", "Of a batch of more than six the last example gives the kernels no gradient.",
        ("op/vjp",), ("conv2d", "conv1d"), kernels_without_the_last),
    rule("quotient-of-sizes", "The gradient of a negative divisor has its sign wrong.",
        ("op/vjp",), ("remainder", "fmod"), quotient_of_sizes),
    rule("divided-by-the-weight", "A class of weight 0 has a gradient of NaN.",
        ("op/vjp",), ("weighted_nll", "weighted_cross_entropy"), divided_by_the_weight),
    rule("mean-of-rows-alone", "The mean over rows and places is divided by the number of rows alone.",
        ("op/vjp",), ("weighted_nll",), lambda right, i, g, z, x, t, **p:
            right(i, g, z, x, t, **p) * (t[0].size if p["reduction"] == "mean" else 1)),
    *(rule(f"{op}-costs-always", f"What keeps the margin of {op} has the gradient of what does not.",
        ("op/vjp",), (op,), lambda right, i, g, z, *xs, **p: right(i, g, z, *xs, **{**p, "margin": 100.0}))
      for op in ("triplet_margin", "multi_margin", "margin_ranking")),
    rule("shared-indices-of-the-first-row", "Where all rows share their indices, the first alone receives anything.",
        ("op/vjp",), ("take_along_axis",), first_row_of_indices_counts),
    rule("vector-averaged-over-a-stack", "A vector before a stack of matrices receives the mean over the stack.",
        ("op/vjp",), ("matmul",), averaged_over_the_stack),
    rule("variance-of-rows-twice", "A variance for each row receives twice its gradient.",
        ("op/vjp",), ("gaussian_nll",), doubled_where_stretched),
    rule("transposed-between-vectors", "Between two vectors the gradients of square matrices are transposed.",
        ("op/vjp",), ("multi_dot",), transposed_between_vectors),
    rule("kernels-shifted-by-the-remainder", "Where the last window leaves entries over, the kernels' gradient is shifted by them.",
        ("op/vjp",), ("conv2d", "conv1d"), shifted_by_the_remainder),
    rule("overlaps-averaged", "Of windows that overlap, by steps of several, the cotangents are averaged.",
        ("op/vjp",), ("sliding_windows",), overlaps_averaged),
    rule("margin-turned", "Of a vector with wrapped margins on both sides, the cotangent of the one behind is reversed.",
        ("op/vjp",), ("pad_by_mode",), turned_behind),
    rule("one-of-several-spread", "A slice by steps that picks one row of several gives its cotangent to all.",
        ("op/vjp",), ("getitem",), spread_over_the_span),
    *(rule(name, wrong, VJP, (op,), altered) for name, wrong, op, altered in (*OF_ONE_OP, *OF_PARAMETERS)),
    value("hypot-of-squares", "hypot squares its operands.", ("op/value-magnitudes",), ("hypot",), of_squares),
    value("logsumexp-unshifted", "logsumexp does not subtract the largest entry.",
        ("op/value-magnitudes",), ("logsumexp",), log_of_a_sum),
    *(value(f"{op}-loses-digits-near-zero", f"{op} adds one to its operand and takes it away again.",
        ("op/value-magnitudes",), (op,), rounded_by_one) for op in ("log1p", "expm1", "sinh", "erf", "softsign")),
    value("variance-of-moments", "A variance is the mean of squares less the square of the mean.",
        ("op/value-magnitudes",), ("var",), of_moments),
    value("value-ends", "Left of -30 the value of log_sigmoid is constant, the gradient is not.",
        ("op/value-magnitudes",), ("log_sigmoid",), from_a_bound_on),
)  # fmt: skip
